/** PROVIDERS_FILE: what it may contain, and how its mistakes are reported. */
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { ConfigError, loadConfig } from '../../server/config/config.js';
import { temporaryFolder } from '../helpers/programs/workspace.js';

async function providersFile(text: string): Promise<string> {
  const file = path.join(await temporaryFolder(), 'providers.yaml');
  await writeFile(file, text);
  return file;
}

/** The problems that the file causes, without its path. */
async function problemsOf(text: string, environment: Record<string, string> = {}) {
  const file = await providersFile(text);
  try {
    loadConfig({ ...environment, PROVIDERS_FILE: file });
    return [];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.problems.map((problem) => problem.replace(`${file}:`, 'line '));
  }
}

test('a file names servers, with secrets from variables and files', async () => {
  const secret = await providersFile('from-a-file\n');
  const file = await providersFile(`
lmstudio:
  baseUrl: http://127.0.0.1:1234/v1
deep-seek:
  baseUrl: https://api.deepseek.com/v1
  apiKey: \${env:DEEPSEEK_KEY}
  headers:
    X-Title: \${file:${secret}}
  structuredOutputs: false
  temperature: false
`);
  const config = loadConfig({
    PROVIDERS_FILE: file,
    DEEPSEEK_KEY: 'from-a-variable',
    EMBEDDING_MODEL: 'lmstudio/nomic-embed-text',
  });
  const common = { apiKey: undefined, headers: {}, structuredOutputs: true, temperature: true };
  expect(config.models).toMatchObject({
    servers: {
      lmstudio: { ...common, baseUrl: 'http://127.0.0.1:1234/v1' },
      'deep-seek': {
        baseUrl: 'https://api.deepseek.com/v1',
        apiKey: 'from-a-variable',
        headers: { 'X-Title': 'from-a-file' },
        structuredOutputs: false,
        temperature: false,
      },
    },
    embeddingModel: 'lmstudio/nomic-embed-text',
  });
});

test('a file in JSON works as well', async () => {
  const file = await providersFile('{"vllm": {"baseUrl": "http://127.0.0.1:8000/v1"}}');
  const { models } = loadConfig({ PROVIDERS_FILE: file });
  expect(models.servers['vllm']?.baseUrl).toBe('http://127.0.0.1:8000/v1');
});

test.each<[string, string, string[]]>([
  [
    'text that is not YAML',
    'lmstudio: {baseUrl: [sk-secret',
    ['PROVIDERS_FILE, line 1: is not valid YAML or JSON.'],
  ],
  [
    'a list',
    '- lmstudio',
    ['PROVIDERS_FILE, line 1: must map the names of providers to their settings.'],
  ],
  [
    'names that are reserved or not names',
    'openai:\n  baseUrl: http://x/v1\nLM Studio:\n  baseUrl: http://x/v1',
    [
      "PROVIDERS_FILE, line 1: the name 'openai' is reserved; choose another.",
      "PROVIDERS_FILE, line 3: the name 'LM Studio' must be lowercase letters, digits and hyphens, begin with a letter and have at most 32 characters.",
    ],
  ],
  [
    'no address, and an unknown setting',
    'vllm:\n  baseURL: http://x/v1',
    [
      'PROVIDERS_FILE, line 2: vllm.baseURL is unknown; a provider has baseUrl, apiKey, headers, structuredOutputs, temperature.',
      'PROVIDERS_FILE, line 1: vllm.baseUrl must be a URL such as http://127.0.0.1:1234/v1.',
    ],
  ],
  [
    'a secret itself, which is not repeated',
    'vllm:\n  baseUrl: http://x/v1\n  apiKey: sk-secret\n  headers:\n    X-Key: sk-secret',
    [
      'PROVIDERS_FILE, line 3: vllm.apiKey must be ${env:NAME} or ${file:path}, not the secret itself.',
      'PROVIDERS_FILE, line 5: vllm.headers.X-Key must be ${env:NAME} or ${file:path}, not the secret itself.',
    ],
  ],
  [
    'secrets that do not exist',
    'vllm:\n  baseUrl: http://x/v1\n  apiKey: ${env:NO_KEY}\n  headers: {X-Key: "${file:/none}"}',
    [
      'PROVIDERS_FILE, line 3: vllm.apiKey: the variable NO_KEY is not set.',
      'PROVIDERS_FILE, line 4: vllm.headers.X-Key: the file /none cannot be read or is empty.',
    ],
  ],
  [
    'settings of the wrong type',
    'vllm:\n  baseUrl: ftp://x\n  structuredOutputs: maybe\n  temperature: 0',
    [
      'PROVIDERS_FILE, line 2: vllm.baseUrl must be a URL such as http://127.0.0.1:1234/v1.',
      'PROVIDERS_FILE, line 3: vllm.structuredOutputs must be true or false.',
      'PROVIDERS_FILE, line 4: vllm.temperature must be true or false.',
    ],
  ],
])('%s stops the start, with the line', async (_, text, problems) => {
  expect(await problemsOf(text)).toEqual(problems);
});

test('a file that cannot be read stops the start', () => {
  expect(() => loadConfig({ PROVIDERS_FILE: '/none.yaml' })).toThrow(
    'PROVIDERS_FILE names /none.yaml, which cannot be read (ENOENT).',
  );
});

test('an embedding model of a provider that the file lacks stops the start', async () => {
  const text = 'vllm: {baseUrl: http://x/v1}';
  expect(await problemsOf(text, { EMBEDDING_MODEL: 'lmstudio/nomic' })).toEqual([
    "EMBEDDING_MODEL must be openai/…, local/… or of a provider in PROVIDERS_FILE, such as openai/text-embedding-3-small, not 'lmstudio/nomic'.",
  ]);
});
