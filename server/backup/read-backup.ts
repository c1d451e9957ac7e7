/** Reads a backup as a stream, and verifies that it is valid and complete. */
import { createHash, type Hash } from 'node:crypto';
import { pipeline, type Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { errorCode } from '../lib/errors/error-code.js';
import { readTar, TarError } from '../lib/data/tar.js';
import {
  type BackupHeader,
  BackupProblem,
  type BackupTotals,
  HEADER,
  maxPartBytes,
  parseHeader,
  parseTotals,
  tableOfPart,
  TOTALS,
} from './format.js';

export interface Rows {
  table: string;
  content: Buffer;
}

interface OpenBackup {
  header: BackupHeader;
  /** The rows of all tables, in the order of the header. The backup is verified only once all rows have been read. */
  rows: AsyncGenerator<Rows, BackupTotals>;
}

/** Throws a BackupProblem, here or while rows are read. */
export async function openBackup(source: Readable): Promise<OpenBackup> {
  const parts = translateErrors(readTar(decompress(source), maxPartBytes));
  const first = await parts.next();
  if (first.done === true || first.value.name !== HEADER) {
    throw new BackupProblem('It is not a backup of this service.');
  }
  const header = parseHeader(first.value.content);
  return { header, rows: readRows(parts, header) };
}

/** Reads the whole backup without storing it. */
export async function verifyBackup(
  source: Readable,
  onBytes: (bytes: number) => void,
): Promise<BackupHeader> {
  const { header, rows } = await openBackup(source);
  let bytes = 0;
  for await (const { content } of rows) {
    bytes += content.length;
    onBytes(bytes);
  }
  return header;
}

type Parts = ReturnType<typeof readTar>;

async function* readRows(parts: Parts, header: BackupHeader): AsyncGenerator<Rows, BackupTotals> {
  const order = header.tables.map(({ name }) => name);
  const sums = new Map(order.map((name) => [name, { bytes: 0, hash: createHash('sha256') }]));
  let position = 0;
  for await (const { name, content } of parts) {
    if (name === TOTALS) {
      const totals = parseTotals(content);
      if ((await parts.next()).done !== true) throw damaged('something follows its totals');
      assertSums(totals, sums);
      return totals;
    }
    const table = tableOfPart(name);
    const found = table === undefined ? -1 : order.indexOf(table, position);
    const sum = sums.get(table ?? '');
    if (table === undefined || found === -1 || sum === undefined) {
      throw damaged(`the part ${name} is not where it belongs`);
    }
    position = found;
    sum.bytes += content.length;
    sum.hash.update(content);
    yield { table, content };
  }
  throw damaged('it ends too early');
}

function assertSums(
  totals: BackupTotals,
  sums: ReadonlyMap<string, { bytes: number; hash: Hash }>,
): void {
  const expected = new Map(totals.tables.map((table) => [table.name, table]));
  for (const [name, { bytes, hash }] of sums) {
    const table = expected.get(name);
    if (table?.bytes !== bytes || table.sha256 !== hash.digest('hex')) {
      throw damaged(`the table ${name} is not as it was written`);
    }
  }
  if (expected.size !== sums.size) throw damaged('it has totals of tables that it does not have');
}

async function* decompress(source: Readable): AsyncGenerator<Buffer> {
  let received = 0;
  const counted = async function* (chunks: AsyncIterable<Buffer>) {
    for await (const chunk of chunks) {
      received += chunk.length;
      yield chunk;
    }
  };
  const gunzip = createGunzip();
  // The consumer of the result receives the error, so the callback ignores it.
  yield* pipeline(source, counted, gunzip, () => undefined);
  // zlib ignores zeros after the end.
  if (received > gunzip.bytesWritten) throw damaged('something follows its end');
}

/** Replaces the errors of the libraries that read the file by messages for the operator. */
async function* translateErrors(parts: Parts): Parts {
  try {
    yield* parts;
  } catch (error) {
    if (error instanceof TarError) throw damaged(error.message, error);
    switch (errorCode(error)) {
      case 'Z_DATA_ERROR':
        throw String(error).includes('incorrect header check')
          ? new BackupProblem('It is not a backup of this service.', { cause: error })
          : damaged('its bytes have changed', error);
      case 'Z_BUF_ERROR':
        throw damaged('it ends too early', error);
      default:
        throw error;
    }
  }
}

function damaged(what: string, cause?: unknown): BackupProblem {
  return new BackupProblem(`It is damaged: ${what}.`, { cause });
}
