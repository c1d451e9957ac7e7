/** Quotes text for commands that people paste. */

/** For a POSIX shell: in single quotes nothing has a meaning. */
export function shellQuote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
