/** A failed command; the message tells the operator why, and what to do. */
export class CommandFailure extends Error {
  override readonly name = 'CommandFailure';
}
