/** Checks URLs that users type, and suggests corrections. */
import { CommandError, exitCodes } from './exit-codes.js';

const examples = 'Write it like https://agents.example.com or http://127.0.0.1:3000.';

/** Throws unless it is an http or https URL. `source` says where it comes from, such as `of --base-url`. */
export function parseHttpUrl(text: string, source: string): URL {
  const fail = (problem: string, hint = examples): never => {
    throw new CommandError(`The URL ${source} ${problem}.`, exitCodes.usage, [hint]);
  };
  // The part before an @ may be a password, so such a URL is not quoted.
  if (text.includes('@')) return fail('must not contain a user name or password');
  if (!/^[a-z][\w+.-]*:\/\//i.test(text)) return fail(`has no scheme: '${text}'`, suggest(text));
  if (!URL.canParse(text)) return fail(`is not a valid URL: '${text}'`);
  const url = new URL(text);
  if (!/^https?:$/.test(url.protocol)) return fail(`is neither http nor https: '${text}'`);
  return url;
}

/** Suggests http for this machine, and https for any other host. */
function suggest(text: string): string {
  const candidate = `https://${text}`;
  if (!/^[\w.[\]:-]+(\/\S*)?$/.test(text) || !URL.canParse(candidate)) return examples;
  return `Write ${isLoopback(new URL(candidate)) ? 'http' : 'https'}://${text}`;
}

export function isLoopback({ hostname }: URL): boolean {
  return /^(localhost|127\..*|\[::1\])$/.test(hostname);
}

/** Whether a service in its default configuration refuses to deliver webhooks there. */
export function isPrivateTarget(url: URL): boolean {
  const privateAddress =
    /^(10|192\.168|169\.254|172\.(1[6-9]|2\d|3[01]))\.|^\[f[cde]|\.(local|internal)$/;
  return url.protocol === 'http:' || isLoopback(url) || privateAddress.test(url.hostname);
}

/** Whether requests can be read on the network; plain http is safe on the loopback interface. */
export function isUnencrypted(url: URL): boolean {
  return url.protocol === 'http:' && !isLoopback(url);
}
