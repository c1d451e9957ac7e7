/** Executes the README, the quick start and the first request of the docs, and compares the shown output. */
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { useService, useTenant } from './helpers/service/service.js';
import { root, temporaryFolder } from './helpers/programs/workspace.js';
import { useModelProvider } from './helpers/model-provider/use-model-provider.js';
import { answer, chatCompletions } from './helpers/model-provider/wire-formats.js';

interface Shown {
  command: string;
  language: string;
  output: string;
}

const run = promisify(execFile);
const readme = await executedIn('README.md');
const quickStart = await executedIn('docs/quick-start.md');
const description = await readFile(path.join(root, 'spec/description.md'), 'utf8');

async function executedIn(file: string): Promise<Shown[]> {
  const text = await readFile(path.join(root, file), 'utf8');
  const marked = /<!-- every command from here on [^]*?-->([^]*)<!-- end of the executed/.exec(
    text,
  );
  return shownIn(marked?.[1] ?? '');
}

function shownIn(text: string): Shown[] {
  const blocks = text.matchAll(/```sh\n([^]*?)```\n\n```(json|text)\n([^]*?)```/g);
  return Array.from(blocks, ([, command = '', language = '', output = '']) => ({
    command,
    language,
    output,
  }));
}

const model = useModelProvider();
const service = useService(() => ({ LOCAL_BASE_URL: `${model.url}/v1` }));
const tenant = useTenant(service);
let folder: string;

beforeAll(async () => {
  model.behave(answer(chatCompletions, ['Let ', 'me ', 'look ', 'that ', 'up ', 'for ', 'you.']));
  await tenant.newAgent({ name: 'echo' });
  folder = await temporaryFolder();
});

async function execute(command: string, key = tenant.key): Promise<string> {
  const local = command.replaceAll('http://127.0.0.1:3000', service.url);
  const { stdout } = await run('bash', ['-euc', local], {
    cwd: folder,
    env: { ...process.env, AGENT_HOSTING_API_KEY: key },
  });
  return stdout;
}

/** Replaces values that differ between runs: ids, times, versions, durations, counts and search scores. */
function masked(text: string): string {
  return text
    .replaceAll(/\b(agent|dep|req|key|log|mem)_[0-9a-z]{26}\b/g, '$1_…')
    .replaceAll(/"\d{4}-\d\d-\d\dT[\d:.]+Z"/g, '"…"')
    .replace('"replaced_deployment_id":null', '"replaced_deployment_id":"dep_…"')
    .replaceAll(/\b1\.([0-2])\.\d{10}\b/g, '1.$1.…')
    .replaceAll(/("(?:duration_ms|score|total)":) ?[\d.]+/g, '$1 0')
    .trim();
}

function comparable(language: string, text: string): unknown {
  return language === 'json' ? JSON.parse(masked(text)) : masked(text);
}

describe('the README', () => {
  test('shows two requests, each with its output', () => {
    expect(readme).toHaveLength(2);
  });

  test.each(readme)(
    'command %#: prints the shown output',
    async ({ command, language, output }) => {
      expect(comparable(language, await execute(command))).toEqual(comparable(language, output));
    },
  );

  test('is short', async () => {
    const text = await readFile(path.join(root, 'README.md'), 'utf8');
    expect(text.split('\n').length).toBeLessThanOrEqual(200);
  });
});

describe.each(['first', 'second'])('a %s run of the quick start', () => {
  test('has commands for every part of the service, each with its output', () => {
    expect(quickStart).toHaveLength(10);
  });

  test.each(quickStart)(
    'command %#: prints the shown output',
    async ({ command, language, output }) => {
      expect(comparable(language, await execute(command))).toEqual(comparable(language, output));
    },
  );
});

test('the first request of the docs works on a fresh install', async () => {
  const [first] = shownIn(description);
  const { key, newAgent } = await service.tenant();
  await newAgent({ name: 'echo' });
  const answered = await execute(first?.command ?? '', key);
  expect(comparable('json', answered)).toEqual(comparable('json', first?.output ?? ''));
});
