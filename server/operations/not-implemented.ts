/** What an operation answers with until it is built. */
export class NotImplemented extends Error {
  override readonly name = 'NotImplemented';
}

export function notImplemented(): Promise<never> {
  return Promise.reject(new NotImplemented('This operation is not available yet.'));
}
