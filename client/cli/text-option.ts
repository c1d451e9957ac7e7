/** Reads options whose value is a longer text: from the command line, a file, or standard input. */
import { readFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { errorCode } from './config-files.js';
import { CommandError, exitCodes } from './exit-codes.js';

/** Removes white space at the end: editors end files with a line break that is not part of the text. */
export async function readTextOption(option: string, value: string): Promise<string> {
  if (value !== '-' && !value.startsWith('@')) return value;
  const source = value === '-' ? 'standard input' : value.slice(1);
  const bytes = value === '-' ? await buffer(process.stdin) : await readBytes(option, source);
  const text = decode(option, source, bytes).trimEnd();
  if (text !== '') return text;
  throw new CommandError(`${option}: ${source} is empty.`, exitCodes.usage, [
    `To remove the text, pass ${option} "".`,
  ]);
}

async function readBytes(option: string, file: string): Promise<Uint8Array> {
  try {
    return await readFile(file);
  } catch (error) {
    throw new CommandError(
      `${option}: cannot read '${file}' (${String(errorCode(error))}).`,
      exitCodes.usage,
      [
        '@ is followed by the path of a file. To pass a text that begins with @, pipe it in with -.',
      ],
    );
  }
}

function decode(option: string, source: string, bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new CommandError(`${option}: ${source} is not text in UTF-8.`, exitCodes.usage);
  }
}
