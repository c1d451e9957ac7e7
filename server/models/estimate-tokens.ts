/** Estimates tokens where no model has counted them: before a call, and after one that was cut off or reports nothing. */

/** English text has about four UTF-8 bytes per token, other scripts have fewer. */
const bytesPerToken = 4;

export function estimateTokens(...values: readonly unknown[]): number {
  const bytes = values.reduce<number>((sum, value) => sum + bytesOf(value), 0);
  return Math.ceil(bytes / bytesPerToken);
}

export function tokensOfBytes(bytes: number): number {
  return Math.ceil(bytes / bytesPerToken);
}

function bytesOf(value: unknown): number {
  if (value === undefined) return 0;
  return Buffer.byteLength(typeof value === 'string' ? value : JSON.stringify(value));
}
