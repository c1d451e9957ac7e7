/** What is made when it is first needed: formatters of the browser take up to 50 ms, which the first page should not wait for. */

export function once<Made>(make: () => Made): () => Made {
  let made: Made | undefined;
  return () => (made ??= make());
}
