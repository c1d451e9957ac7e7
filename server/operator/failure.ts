/** A command that did not do what it was asked, with a sentence that says why and what to do. */
export class CommandFailure extends Error {
  override readonly name = 'CommandFailure';
}
