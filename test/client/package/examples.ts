/** The examples in the client's README. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { root } from '../../helpers/programs/workspace.js';

export interface Example {
  name: string;
  /** Not run against the mock, which sends no events and completes no invocation. */
  isLiveOnly: boolean;
  code: string;
  output: string;
}

export const readme = await readFile(path.join(root, 'client/README.md'), 'utf8');

const pattern =
  /<!-- example: (\w+)(, live only)? -->\n\n```ts\n([^]*?)```\n\n```text\n([^]*?)```/g;

export const examples: Example[] = [...readme.matchAll(pattern)].map(
  ([, name = '', liveOnly, code = '', output = '']) => ({
    name,
    isLiveOnly: liveOnly !== undefined,
    code,
    output,
  }),
);
