/** The router: the state of a page is in its address, a path below the console and a query. */
import { computed, signal } from '@preact/signals';

export interface Address {
  /** The segments below the console, decoded. */
  path: readonly string[];
  query: URLSearchParams;
}

/** The URL of the console; ends with a slash. A proxy may add a prefix to the path. */
export const consoleUrl = new URL(document.baseURI);

/** The URL of the service, which serves the console at `console/`. */
export const serviceUrl = new URL('..', consoleUrl).href;

export const docsUrl = new URL('docs', serviceUrl).href;

export const address = signal<Address>(readAddress());

/** Changes with the path, but not with the query. */
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

/** A hand-typed address may be malformed. */
function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

export type Query = Record<string, string | undefined>;

/** Returns the href of a link. Empty parameters are left out. */
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

/** Changes query parameters. By default the browser's back button leads to the previous page, not to the previous value. */
export function setQuery(changes: Query, { replace = true } = {}): void {
  const { path, query } = address.peek();
  navigate(linkTo(path, { ...Object.fromEntries(query), ...changes }), { replace });
}

/** Follows links within the console without reloading the page. */
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
