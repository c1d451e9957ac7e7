/** Reads parts of JSON bodies whose shape is not known. */
export type Json = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The object, or an empty one. */
export const objectOf = (value: unknown): Json => (isObject(value) ? value : {});

/** The array, or an empty one. */
export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** The text, or an empty one. */
export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** A value as an error message quotes it. */
export const shown = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value);

export const isBlank = (text: string): boolean => text.trim() === '';

export function parsesAsObject(text: string): boolean {
  try {
    return isObject(JSON.parse(text));
  } catch {
    return false;
  }
}
