/** A violation of the rules of the contract: the edit that makes it, and what must be said about it. */

export interface Violation {
  what: string;
  /** The file of the contract that is edited. */
  file: string;
  change: (text: string) => string;
  /** The file that the message must name, if it is another one. */
  blamed?: string;
  says: string;
}

export type ViolationsByRule = Record<string, Violation[]>;

export function swap(from: string, to: string): Violation['change'] {
  return (text) => text.replace(from, () => to);
}
