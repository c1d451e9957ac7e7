/** Reads no more of a body than is wanted. */
import type { Readable } from 'node:stream';

export interface LimitedBytes {
  bytes: Buffer;
  /** Whether there was more. */
  isCut: boolean;
  /** False: the connection was lost before its end. */
  isComplete: boolean;
}

/** Destroys the body when it has read enough. What has come of one that ends early is returned as well. */
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
    // Said by the result.
  }
  const isCut = size > maxBytes;
  return { bytes: Buffer.concat(buffers).subarray(0, maxBytes), isCut, isComplete };
}
