/** Creates a value on first use. The Intl formatters take up to 50 ms, which would delay the first page. */

export function lazy<Made>(make: () => Made): () => Made {
  let made: Made | undefined;
  return () => (made ??= make());
}
