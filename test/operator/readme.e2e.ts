/** Executes docs/operator.md on a fresh install, with its manifest and commands unchanged. */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { apiClient } from '../helpers/service/api.js';
import { builtPrograms } from '../helpers/programs/built-project.js';
import { dataDirectory } from '../helpers/database/data-directory.js';
import { startCommand, startServiceProcess } from '../helpers/programs/process.js';
import { root, temporaryFolder } from '../helpers/programs/workspace.js';

test('its commands work with a freshly installed service', async () => {
  const page = await readFile(path.join(root, 'docs/operator.md'), 'utf8');
  const [, chapter = ''] = /\n## Create agents, keys and budgets\n([^]*?)\n## /.exec(page) ?? [];
  const [, file = '', manifest = ''] = /```yaml\n# (\S+)\n([^]*?)```/.exec(chapter) ?? [];
  const [, commands = ''] = /```sh\n([^]*?)```/.exec(chapter) ?? [];
  const folder = await temporaryFolder();
  await writeFile(path.join(folder, file), manifest);

  const environment = { DATA_DIR: await dataDirectory() };
  const service = await startServiceProcess({ environment });
  try {
    // Suppresses npm's own output.
    const program = path.join(await builtPrograms(), 'server/operator/main.js');
    const npm = `npm() { while [ "$1" != -- ]; do shift; done; shift; '${process.execPath}' '${program}' "$@"; }`;
    const shell = startCommand('bash', ['-euc', `${npm}\n${commands}`], {
      cwd: folder,
      environment,
    });
    expect(await shell.ended).toBe(0);
    expect(shell.stdout()).toMatch(
      /^Agent 'support-bot' created\.\nBudget of account 'default': 50000000 tokens in 1d\.\n\d+ rows of \d+ tables written to agents\.backup, \d+\.\d kB\.\nUsage: operator/,
    );
    expect(shell.stderr()).toMatch(
      /^agent_\w+ is running.*\nStore it now.*\nNo results\.\nNo results\.\nRestoring it requires the SECRETS_KEY.*\n$/,
    );

    expect((await readdir(folder)).sort()).toEqual(['agents.backup', 'help-desk.key', file]);
    const key = (await readFile(path.join(folder, 'help-desk.key'), 'utf8')).trim();
    const reply = await apiClient(service.url, key).expect('invokeAgent', 200, {
      path: { agent_id: 'support-bot' },
      body: { message: 'Where is my order 5512?' },
    });
    expect(reply.data.response).toBe('Where is my order 5512?');
  } finally {
    await service.end('SIGTERM');
  }
}, 240_000);
