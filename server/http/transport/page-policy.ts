/** Content security policies: pages load and run only their own files, injected scripts do not run, and no page can be framed. */
import { createHash } from 'node:crypto';

type Headers = Record<string, string>;

/** For a page in one file. Scripts are allowed by their hashes, so a script that is added at run time does not run. */
export function singleFilePolicy(html: string): Headers {
  const scripts = [...html.matchAll(/<script\b[^>]*>([\s\S]*?)<\/script>/g)].map(
    ([, text = '']) => text,
  );
  const hashes = scripts.map(
    (text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`,
  );
  return pageHeaders([
    "default-src 'none'",
    `script-src ${[...new Set(hashes)].join(' ')} blob:`,
    "style-src 'unsafe-inline'",
    'img-src data:',
    'font-src data:',
    'connect-src blob:',
    'worker-src blob:',
    "base-uri 'none'",
  ]);
}

/** For a page with scripts and styles in separate files. Trusted Types keep text from becoming HTML or a script. */
export function applicationPolicy(): Headers {
  return pageHeaders([
    "default-src 'self'",
    "object-src 'none'",
    "base-uri 'self'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ]);
}

function pageHeaders(directives: string[]): Headers {
  return {
    'Content-Security-Policy': [...directives, "form-action 'none'", "frame-ancestors 'none'"].join(
      '; ',
    ),
    'X-Frame-Options': 'DENY',
    'Referrer-Policy': 'no-referrer',
  };
}
