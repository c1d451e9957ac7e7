/** Searches a text for parts of a secret. */

/** The text in every decoding that a reader might try. */
function readings(text: string): string[] {
  const unescaped = text
    .replaceAll(/%([\da-f]{2})/gi, (_, digits: string) => fromHex(digits))
    .replaceAll(/\\u([\da-f]{4})/gi, (_, digits: string) => fromHex(digits))
    .replaceAll(/\\(.)/g, '$1')
    .replaceAll(/&#(\d+);/g, (_, digits: string) => String.fromCharCode(Number(digits)))
    .replaceAll('&quot;', '"')
    .replaceAll('&lt;', '<')
    .replaceAll('&amp;', '&');
  const runs = text.match(/[\w+/-]+/g) ?? [];
  return [
    text,
    unescaped,
    ...runs.flatMap((run) =>
      [0, 1, 2, 3].map((skipped) => Buffer.from(run.slice(skipped), 'base64').toString('latin1')),
    ),
    ...runs.flatMap((run) =>
      [0, 1].map((skipped) => Buffer.from(run.slice(skipped), 'hex').toString('latin1')),
    ),
  ].map((reading) => reading.toLowerCase());
}

const fromHex = (digits: string) => String.fromCharCode(parseInt(digits, 16));

/** Six consecutive characters of the secret that occur in the text, in any encoding. */
export function survivingPart(secret: string, text: string): string | undefined {
  const all = readings(text);
  for (let start = 0; start + 6 <= secret.length; start += 1) {
    const part = secret.slice(start, start + 6).toLowerCase();
    if (all.some((reading) => reading.includes(part))) return part;
  }
  return undefined;
}
