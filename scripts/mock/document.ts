/** The document that the mock serves: the contract, less what a mock must not do. */

import { rmSync } from 'node:fs';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { asJson } from '../generate/bundle.js';
import type { Contract } from '../lib/contract.js';
import { isObject, mapDeep, omit } from '../lib/json.js';

/** The path of a copy for Prism, which would send events to the addresses of the webhooks that it is asked to create. */
export async function withoutCallbacks(contract: Contract): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'mock-'));
  process.once('exit', () => {
    rmSync(folder, { recursive: true, force: true });
  });
  const file = path.join(folder, 'openapi.json');
  await writeFile(
    file,
    asJson(mapDeep(contract, (node) => (isObject(node) ? omit(node, 'callbacks') : node))),
  );
  return file;
}
