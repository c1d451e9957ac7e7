/** A failed command; the message tells the operator why and what to do, and the details follow it line by line. */
export class CommandFailure extends Error {
  override readonly name = 'CommandFailure';
  readonly details: string[];

  constructor(message: string, details: string[] = []) {
    super(message);
    this.details = details;
  }
}
