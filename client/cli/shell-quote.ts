/** Quotes a text as one word of a POSIX shell. */
export function shellQuote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** A command line to copy; only words that need it are quoted. */
export function shellCommand(words: string[]): string {
  return words.map((word) => (/^[\w.@:/-]+$/.test(word) ? word : shellQuote(word))).join(' ');
}
