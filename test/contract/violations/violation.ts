/** A violation of the contract's rules: the edit that causes it and the message that must report it. */

export interface Violation {
  what: string;
  /** The contract file to edit. */
  file: string;
  change: (text: string) => string;
  /** The file that the message must name, if it is a different one. */
  blamed?: string;
  says: string;
}

export type ViolationsByRule = Record<string, Violation[]>;

export function swap(from: string, to: string): Violation['change'] {
  return (text) => text.replace(from, () => to);
}
