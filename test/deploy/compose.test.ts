/** The compose file: valid, hardened, without a default password, and with settings that the service knows. */
import { existsSync } from 'node:fs';
import { cp, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { parseEnv } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { loadConfig } from '../../server/config/config.js';
import { root, temporaryFolder } from '../helpers/programs/workspace.js';
import { deploy, knownSettings, readYaml, run, testWith } from './tools.js';

interface ComposeService {
  environment?: Record<string, string>;
  ports?: string[];
  volumes?: string[];
  read_only?: boolean;
  cap_drop?: string[];
  security_opt?: string[];
  restart?: string;
  user?: string;
  healthcheck?: object;
  stop_grace_period?: string;
  profiles?: string[];
  secrets?: string[];
}

interface Compose {
  services: Record<string, ComposeService>;
  secrets: Record<string, { file: string }>;
  volumes: Record<string, object>;
}

const compose = (await readYaml('compose.yaml')) as Compose;
const services = Object.entries(compose.services);

test('is valid under the Compose Specification', async () => {
  const file = path.join(root, 'test/fixtures/schemas/compose-spec.json');
  const schema = JSON.parse(await readFile(file, 'utf8')) as object;
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false });
  expect(ajv.validate(schema, compose) ? '' : ajv.errorsText()).toBe('');
});

testWith(['docker', 'compose', 'version'])('is accepted by docker compose', async () => {
  const folder = await copyWithSecrets();
  const args = ['compose', '-f', path.join(folder, 'deploy/compose.yaml')];
  const { code, output } = run('docker', [...args, '--profile', 'monitoring', 'config', '--quiet']);
  expect([code, output]).toEqual([0, '']);
});

describe.each(services)('%s', (name, service) => {
  test('has the least privileges that it needs', () => {
    expect(service).toMatchObject({
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
      restart: 'unless-stopped',
    });
    expect(service.user).toMatch(/^[1-9]\d*:\d+$/);
  });

  test('has a health check', async () => {
    const image = await readFile(path.join(root, 'Dockerfile'), 'utf8');
    const hasCheck = name === 'service' ? image.includes('HEALTHCHECK') : service.healthcheck;
    expect(hasCheck).toBeTruthy();
  });

  test('is reachable only from this machine by default', () => {
    for (const port of service.ports ?? []) expect(port).toMatch(/^(\$\{ADDRESS:-)?127\.0\.0\.1/);
  });

  test('mounts files that exist', () => {
    const files = (service.volumes ?? []).filter((volume) => volume.startsWith('./'));
    // Where the Prometheus files are not installed, only the provisioning files are expected.
    const isThere = (file: string) => existsSync(path.join(deploy, file.split(':')[0] ?? ''));
    const expected = existsSync(path.join(deploy, 'prometheus/alerts.yaml'))
      ? files
      : files.filter((file) => file.includes('provisioning'));
    expect(expected.filter((file) => !isThere(file))).toEqual([]);
  });
});

test('the file contains no secret', async () => {
  const secret = /password|token|secret|key/i;
  const settings = services.flatMap(([, { environment = {} }]) => Object.entries(environment));
  const told = settings.filter(([name]) => secret.test(name) && !name.endsWith('_FILE'));
  expect(told).toEqual([]);
  expect(await readFile(path.join(deploy, 'compose.yaml'), 'utf8')).not.toMatch(/:\/\/\w+:\w+@/);
  const used = services.flatMap(([, { secrets = [] }]) => secrets);
  expect(Object.keys(compose.secrets).sort()).toEqual(used.sort());
});

test('the service gets only settings that it knows, and enough time to stop', async () => {
  const { environment = {}, stop_grace_period: grace = '' } = compose.services['service'] ?? {};
  const known = await knownSettings();
  expect(Object.keys(environment).filter((name) => !known.has(name))).toEqual([]);
  const needed = Number(environment['LAME_DUCK_MS']) + Number(environment['SHUTDOWN_TIMEOUT_MS']);
  expect(parseInt(grace) * 1_000).toBeGreaterThan(needed);
});

describe('the script that makes the secrets', () => {
  test('creates them once, readable by their owner only, in a form that the service accepts', async () => {
    const folder = await copyWithSecrets();
    const file = path.join(folder, 'deploy/secrets/service.env');
    const first = await readFile(file, 'utf8');
    expect(run('sh', [path.join(folder, 'deploy/init-secrets.sh')]).code).toBe(0);
    expect(await readFile(file, 'utf8')).toBe(first);
    expect((await stat(path.dirname(file))).mode & 0o777).toBe(0o700);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const { DATABASE_URL, SECRETS_KEY } = parseEnv(first);
    const config = loadConfig({ DATABASE_URL, SECRETS_KEY });
    expect(config.secretsKey).toHaveLength(32);
    const password = await readFile(path.join(folder, 'deploy/secrets/postgres_password'), 'utf8');
    expect(new URL(config.database.url ?? '').password).toBe(password);
    const names = Object.keys(compose.secrets).map((name) => compose.secrets[name]?.file ?? '');
    expect(names.filter((name) => !existsSync(path.join(folder, 'deploy', name)))).toEqual([]);
  });
});

async function copyWithSecrets(): Promise<string> {
  const folder = await temporaryFolder();
  await cp(deploy, path.join(folder, 'deploy'), {
    recursive: true,
    filter: (source) => path.basename(source) !== 'secrets',
  });
  const { code, output } = run('sh', [path.join(folder, 'deploy/init-secrets.sh')]);
  if (code !== 0) throw new Error(output);
  return folder;
}
