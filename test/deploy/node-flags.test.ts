/** Every way to start the service passes the same flags to Node. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { nodeFlags } from '../../scripts/lib/node-flags.js';
import { root } from '../helpers/programs/workspace.js';

const flags = nodeFlags.join(' ');
const quoted = nodeFlags.map((flag) => `"${flag}"`).join(', ');

test.each([
  ['package.json', `"start": "exec node ${flags} scripts/run-built.mjs main"`],
  ['package.json', `"worker": "exec node ${flags} scripts/run-built.mjs worker"`],
  ['Dockerfile', `\nCMD ["node", ${quoted}, "dist/server/main.js"]\n`],
  [
    'deploy/systemd/agent-hosting.service',
    `\nExecStart=/usr/bin/node ${flags} dist/server/main.js\n`,
  ],
  [
    'deploy/helm/agent-hosting/templates/worker.yaml',
    `command: [node, ${nodeFlags.join(', ')}, dist/server/worker.js]`,
  ],
  ['docs/operator.md', `\`node ${flags} dist/server/main.js\``],
  ['scripts/build.ts', `Start it with: node ${flags} dist/server/main.js'`],
])('%s contains %j', async (file, command) => {
  expect(await readFile(path.join(root, file), 'utf8')).toContain(command);
});
