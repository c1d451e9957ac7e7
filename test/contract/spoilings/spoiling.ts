/** A way to spoil the contract: the edit that does it, and what must be said about it. */

export interface Spoiling {
  what: string;
  /** The file of the contract that is edited. */
  file: string;
  change: (text: string) => string;
  /** The file that the message must name, if it is another one. */
  blamed?: string;
  says: string;
}

export type SpoilingsByRule = Record<string, Spoiling[]>;

export function swap(from: string, to: string): Spoiling['change'] {
  return (text) => text.replace(from, () => to);
}
