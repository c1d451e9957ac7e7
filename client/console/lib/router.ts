/** The address of the page is its state: a path below the console, and a query. */
import { computed, signal } from '@preact/signals';

export interface Address {
  /** The segments below the console, decoded. */
  path: readonly string[];
  query: URLSearchParams;
}

/** Where the console is; its path ends with a slash. The service may be behind a proxy that adds a prefix. */
export const consoleUrl = new URL(document.baseURI);

/** The URL of the service, which serves the console at `console/`. */
export const serviceUrl = new URL('..', consoleUrl).href;

/** The documentation of the API, beside the console. */
export const docsUrl = new URL('docs', serviceUrl).href;

export const address = signal<Address>(readAddress());

/** Changes with the path alone, for what is shown anew on each page. */
export const pathKey = computed(() => address.value.path.join('/'));

function readAddress(): Address {
  const { pathname, search } = window.location;
  const path = pathname
    .slice(consoleUrl.pathname.length)
    .split('/')
    .filter((segment) => segment !== '')
    .map(decodeSegment);
  return { path, query: new URLSearchParams(search) };
}

/** An address may be typed by hand. */
function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

export type Query = Record<string, string | undefined>;

/** For links. Parameters that are empty are left out. */
export function linkTo(path: readonly string[], query: Query = {}): string {
  const url = new URL(path.map(encodeURIComponent).join('/'), consoleUrl);
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== '') url.searchParams.set(name, value);
  }
  return url.pathname + url.search;
}

export function navigate(href: string, { replace = false } = {}): void {
  if (replace) window.history.replaceState(null, '', href);
  else window.history.pushState(null, '', href);
  const previous = pathKey.peek();
  address.value = readAddress();
  if (pathKey.peek() !== previous) window.scrollTo(0, 0);
}

/** Changes parameters of the present address. By default the step back leads to the page before, not to the value before. */
export function setQuery(changes: Query, { replace = true } = {}): void {
  const { path, query } = address.peek();
  navigate(linkTo(path, { ...Object.fromEntries(query), ...changes }), { replace });
}

/** Links of the page are followed without loading it again. */
export function followLinks(): void {
  window.addEventListener('popstate', () => {
    address.value = readAddress();
  });
  document.addEventListener('click', (event) => {
    const link = event.target instanceof Element ? event.target.closest('a') : null;
    const isPlain =
      event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
    if (!link || !isPlain || event.defaultPrevented || link.target || link.hasAttribute('download'))
      return;
    const url = new URL(link.href);
    const isOurs = url.origin === consoleUrl.origin && url.pathname.startsWith(consoleUrl.pathname);
    if (!isOurs || url.hash) return;
    event.preventDefault();
    navigate(url.pathname + url.search);
  });
}
