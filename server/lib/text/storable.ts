/** PostgreSQL stores neither NUL characters nor lone surrogates, which JSON, models and tools can contain. */

export function isStorable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed();
}

export function storable(text: string): string {
  return text.replaceAll('\0', '\uFFFD').toWellFormed();
}
