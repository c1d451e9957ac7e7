/** A difference between the service's behaviour and the contract. */
export class Mismatch extends Error {
  override readonly name = 'Mismatch';
  /** The pointer to the rule in the contract. */
  readonly pointer: string;

  constructor(pointer: string, message: string) {
    super(message);
    this.pointer = pointer;
  }
}

export function assertMatches(
  condition: boolean,
  pointer: string,
  message: () => string,
): asserts condition {
  if (!condition) throw new Mismatch(pointer, message());
}

/** For messages: long values are truncated. */
export function formatted(value: unknown): string {
  const text = value === undefined ? 'nothing' : JSON.stringify(value);
  return text.length > 600 ? `${text.slice(0, 600)}…` : text;
}
