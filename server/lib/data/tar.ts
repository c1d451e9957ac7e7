/** Reads and writes the subset of the tar format that small files need. Any tar program can read the archives. */

export interface TarEntry {
  name: string;
  content: Buffer;
}

export class TarError extends Error {
  override readonly name = 'TarError';
}

const BLOCK = 512;
const MAGIC = 'ustar\u000000';

/** Two empty blocks end an archive. */
export const tarEnd = Buffer.alloc(2 * BLOCK);

/** Other programs pad the last record of 20 blocks with zeros. It may begin with the second end block. */
const maxPadding = 21 * BLOCK;

/** Returns the blocks of a file with mode 0600. The name may have up to 100 bytes. */
export function tarBlocks({ name, content }: TarEntry, modifiedAt: Date): Buffer {
  const header = Buffer.alloc(BLOCK);
  const octal = (value: number, offset: number, length: number) =>
    header.write(value.toString(8).padStart(length - 1, '0'), offset, 'latin1');
  header.write(name, 0, 100, 'latin1');
  octal(0o600, 100, 8);
  octal(0, 108, 8);
  octal(0, 116, 8);
  octal(content.length, 124, 12);
  octal(Math.floor(modifiedAt.getTime() / 1000), 136, 12);
  header.write('0', 156, 'latin1');
  header.write(MAGIC, 257, 'latin1');
  header.write(`${checksumOf(header).toString(8).padStart(6, '0')}\u0000 `, 148, 'latin1');
  return Buffer.concat([header, content, Buffer.alloc(paddingOf(content.length))]);
}

/** Reads an archive to its end. Throws for a file larger than `maxBytes`, which bounds the memory. */
export async function* readTar(
  source: AsyncIterable<Buffer>,
  maxBytes: number,
): AsyncGenerator<TarEntry> {
  const bytes = createByteReader(source);
  for (;;) {
    const header = await bytes.take(BLOCK);
    if (header.every((byte) => byte === 0)) break;
    const { name, size } = parseHeader(header);
    if (size > maxBytes) throw new TarError(`the entry ${name} has ${size} bytes`);
    const content = await bytes.take(size);
    await bytes.take(paddingOf(size));
    yield { name, content };
  }
  // Reads to the end, because a compressed stream reports damage only there.
  if (!(await bytes.endWithin(maxPadding))) throw new TarError('something follows its end');
}

function parseHeader(header: Buffer): { name: string; size: number } {
  const text = (offset: number, length: number) =>
    header.toString('latin1', offset, offset + length).replace(/[\0 ][^]*$/, '');
  const size = text(124, 12);
  const isHeader =
    header.toString('latin1', 257, 262) === 'ustar' &&
    parseInt(text(148, 8), 8) === checksumOf(header) &&
    /^[0-7]+$/.test(size);
  if (!isHeader) throw new TarError('it is not a tar archive, or it is damaged');
  if (text(156, 1) !== '0') throw new TarError('it has entries that are not files');
  return { name: text(0, 100), size: parseInt(size, 8) };
}

/** The sum of all header bytes, with the checksum field counted as spaces. */
function checksumOf(header: Buffer): number {
  const blank = ' '.charCodeAt(0);
  return header.reduce((sum, byte, index) => sum + (index >= 148 && index < 156 ? blank : byte), 0);
}

function paddingOf(size: number): number {
  return (BLOCK - (size % BLOCK)) % BLOCK;
}

interface ByteReader {
  /** Returns exactly this many bytes. */
  take: (size: number) => Promise<Buffer>;
  /** Whether at most this many bytes are left, all of them zeros. */
  endWithin: (maxBytes: number) => Promise<boolean>;
}

function createByteReader(source: AsyncIterable<Buffer>): ByteReader {
  const chunks = source[Symbol.asyncIterator]();
  let rest = Buffer.alloc(0);
  return {
    take: async (size) => {
      const taken: Buffer[] = [];
      let missing = size;
      while (missing > 0) {
        if (rest.length === 0) {
          const next = await chunks.next();
          if (next.done === true) throw new TarError('it ends too early');
          rest = Buffer.from(next.value);
        }
        const part = rest.subarray(0, missing);
        rest = rest.subarray(part.length);
        missing -= part.length;
        taken.push(part);
      }
      return taken.length === 1 && taken[0] ? taken[0] : Buffer.concat(taken, size);
    },
    endWithin: async (maxBytes) => {
      let left = maxBytes;
      for (;;) {
        left -= rest.length;
        if (left < 0 || rest.some((byte) => byte !== 0)) return false;
        const next = await chunks.next();
        if (next.done === true) return true;
        rest = Buffer.from(next.value);
      }
    },
  };
}
