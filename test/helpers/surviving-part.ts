/** Looks for what is left of a secret in a text. */

/** What a reader could still find in the text, who tries every encoding. */
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

/** Six characters in a row of the secret that are in the text, in whatever encoding. */
export function survivingPart(secret: string, text: string): string | undefined {
  const all = readings(text);
  for (let start = 0; start + 6 <= secret.length; start += 1) {
    const part = secret.slice(start, start + 6).toLowerCase();
    if (all.some((reading) => reading.includes(part))) return part;
  }
  return undefined;
}
