/** Reads a body up to a limit. */
import type { Readable } from 'node:stream';

interface LimitedBytes {
  bytes: Buffer;
  /** Whether the body was longer than the limit. */
  isCut: boolean;
  /** False if the connection was lost before the end. */
  isComplete: boolean;
}

/** Destroys the body when the limit is reached. Returns what was received even if the connection was lost. */
export async function readLimited(body: Readable, maxBytes: number): Promise<LimitedBytes> {
  const buffers: Uint8Array[] = [];
  let size = 0;
  let isComplete = false;
  try {
    for await (const chunk of body) {
      if (!(chunk instanceof Uint8Array)) continue;
      buffers.push(chunk);
      size += chunk.length;
      if (size > maxBytes) break;
    }
    isComplete = true;
  } catch {
    // Reported as isComplete: false.
  }
  const isCut = size > maxBytes;
  return { bytes: Buffer.concat(buffers).subarray(0, maxBytes), isCut, isComplete };
}
