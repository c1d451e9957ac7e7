/** Wrong settings: each is reported with its variable, and without repeating secrets. */
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { ConfigError, loadConfig, loadDatabaseConfig } from '../../server/config/config.js';
import { secretVariables } from '../../server/config/environment.js';
import { temporaryFolder } from '../helpers/programs/workspace.js';

const key = Buffer.alloc(32, 7).toString('base64');
const previousKey = Buffer.alloc(32, 8).toString('base64');
const url = 'postgresql://user:hunter2@db.example.com:5432/agents';

function problemsOf(environment: Record<string, string>): readonly string[] {
  try {
    loadConfig(environment);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}

describe('a wrong setting', () => {
  test('is reported together with all others, each with its variable', () => {
    const problems = problemsOf({
      PORT: '70000',
      WORKERS: 'many',
      DATABASE_URL: 'mysql://localhost',
      SECRETS_KEY: 'short',
      TRUST_PROXY: 'everyone',
      CORS_ORIGINS: 'example.com/path',
      ALLOW_PRIVATE_TARGETS: 'yes',
      LOG_LEVEL: 'loud',
      LOCAL_BASE_URL: 'localhost',
      EMBEDDING_MODEL: 'ada',
      RETENTION_DAYS: '0',
      TLS_CERT: 'cert.pem',
      DATABASE_POOL_SIZE: '1.5',
      STREAM_GRACE_MS: '-1',
      MAX_BODY_BYTES: '2097153',
      METRICS_TOKEN: 'short',
      METRICS_PORT: '0.0.0.0',
      LAME_DUCK_MS: 'soon',
      SHUTDOWN_TIMEOUT_MS: '-1',
    });
    const variables = problems.map((problem) => problem.split(' ')[0]);
    expect(variables.sort()).toEqual(
      [
        'PORT',
        'WORKERS',
        'DATABASE_URL',
        'SECRETS_KEY',
        'TRUST_PROXY',
        'CORS_ORIGINS',
        'ALLOW_PRIVATE_TARGETS',
        'LOG_LEVEL',
        'LOCAL_BASE_URL',
        'EMBEDDING_MODEL',
        'RETENTION_DAYS',
        'TLS_KEY',
        'DATABASE_POOL_SIZE',
        'STREAM_GRACE_MS',
        'MAX_BODY_BYTES',
        'METRICS_TOKEN',
        'METRICS_PORT',
        'LAME_DUCK_MS',
        'SHUTDOWN_TIMEOUT_MS',
      ].sort(),
    );
  });

  test.each([
    [{ DATABASE_URL: url }, /^SECRETS_KEY is required with DATABASE_URL.*openssl/],
    [{ METRICS_TOKEN: 'too-short' }, /^METRICS_TOKEN .* 16 characters.*openssl rand -hex 24/],
    [{ METRICS_TOKEN: 'with a blank in the middle' }, /^METRICS_TOKEN .*openssl/],
    [{ METRICS_PORT: '3000' }, /^METRICS_PORT must be another port than PORT, which is 3000 too/],
    [{ METRICS_PORT: '70000' }, /^METRICS_PORT must be a port .* host:port .* not '70000'/],
    [{ METRICS_PORT: '::1:9464' }, /^METRICS_PORT must be a port .* not '::1:9464'/],
    [{ DIRECT_DATABASE_URL: url }, /^DIRECT_DATABASE_URL .* DATABASE_URL/],
    [
      { DATABASE_URL: `${url}?schema=agents`, SECRETS_KEY: key },
      /^DATABASE_URL has \?schema=agents, but .* schema public\. Remove the parameter/,
    ],
    [
      { DATABASE_URL: `${url}?pgbouncer=true`, SECRETS_KEY: key },
      /^DIRECT_DATABASE_URL is required with \?pgbouncer=true/,
    ],
    [{ TLS_KEY: 'key.pem' }, /^TLS_CERT is required/],
    [{ PORT: '3000.5' }, /^PORT must be a whole number from 0 to 65535, not '3000.5'/],
    [{ MAX_BODY_BYTES: '1000' }, /^MAX_BODY_BYTES must be .* from 1048576 to 2097152, not '1000'/],
    [{ PORT: '1e3' }, /^PORT/],
    [{ TRUST_PROXY: '10.0.0.0/33' }, /'10\.0\.0\.0\/33' is invalid/],
    [{ TRUST_PROXY: '10.0.0.0/8/8' }, /TRUST_PROXY/],
    [{ SECRETS_KEY: Buffer.alloc(31).toString('base64') }, /^SECRETS_KEY must be 32 random bytes/],
    [{ SECRETS_KEY: '!'.repeat(44) }, /^SECRETS_KEY/],
    [{ SECRETS_KEY_PREVIOUS: `${key},short` }, /^SECRETS_KEY_PREVIOUS must be 32 random bytes/],
  ])('%j is explained', (environment, explanation) => {
    expect(problemsOf(environment)).toEqual([expect.stringMatching(explanation)]);
  });

  test('is explained without repeating a secret', () => {
    const problems = problemsOf({
      DATABASE_URL: 'mysql://root:hunter2@db/agents',
      SECRETS_KEY: 'hunter2',
    });
    expect(problems.join('\n')).not.toContain('hunter2');
    expect(problems).toHaveLength(2);
  });
});

describe('a variable of an earlier release', () => {
  test.each([
    [
      { DATABASE_CONNECT_TIMEOUT_MS: '10000' },
      'DATABASE_CONNECT_TIMEOUT_MS is no longer a setting. Remove it, and to wait longer',
    ],
    [{ METRICS_HOST: '0.0.0.0' }, 'METRICS_HOST is no longer a setting. Set METRICS_PORT to'],
    [{ RATE_LIMIT_STORE: 'memory' }, 'RATE_LIMIT_STORE is no longer a setting. Remove it: '],
    [{ TLS_CLIENT_CA: 'ca.pem' }, 'TLS_CLIENT_CA is no longer a setting. Remove it: '],
    [{ WEBHOOK_PORTS: '443' }, 'WEBHOOK_PORTS is no longer a setting. Remove it: '],
  ])('%j says what to do instead', (environment, sentence) => {
    expect(problemsOf(environment)).toEqual([expect.stringContaining(sentence)]);
    const names = Object.keys(environment);
    expect(() => loadDatabaseConfig(environment, names)).toThrow(sentence);
  });

  test('may be set to nothing', () => {
    expect(problemsOf({ RATE_LIMIT_STORE: ' ' })).toEqual([]);
  });
});

describe('a name that is similar to that of a setting', () => {
  const meant = (name: string) =>
    loadConfig({ [name]: 'value' }).warnings?.map((warning) => / mean (\w+)/.exec(warning)?.[1]);

  test.each([
    ['DATABSE_URL', 'DATABASE_URL'],
    ['database_url', 'DATABASE_URL'],
    ['DATADIR', 'DATA_DIR'],
    ['OPENAI_KEY', undefined],
    ['OPENAI_APIKEY', 'OPENAI_API_KEY'],
    ['PROT', 'PORT'],
    ['HOSTNAME', undefined],
    ['PATH', undefined],
    ['LOCAL_API_KEY_2', undefined],
    ['SUPPORT_BOT_JWT_SECRET', undefined],
  ])('%s is reported as a misspelt %s', (name, setting) => {
    expect(meant(name)?.[0]).toBe(setting);
  });

  test('is not reported if the setting itself is set', () => {
    expect(loadConfig({ PORTS: '1', PORT: '3001' }).warnings).toBeUndefined();
  });

  test('is an error in the environment file of the service', () => {
    expect(() => loadConfig({ DATADIR: '/x' }, ['DATADIR'])).toThrow(/Did you mean DATA_DIR\?/);
    expect(() => loadDatabaseConfig({ DATABSE_URL: url }, ['DATABSE_URL'])).toThrow(
      /Did you mean DATABASE_URL\?/,
    );
  });
});

describe('a secret in a file', () => {
  const file = async (content: string) => {
    const name = path.join(await temporaryFolder(), 'secret');
    await writeFile(name, content);
    return name;
  };

  test('is read without its trailing line break', async () => {
    const config = loadConfig({
      DATABASE_URL_FILE: await file(`${url}\n`),
      SECRETS_KEY_FILE: await file(`${key}\r\n`),
      SECRETS_KEY_PREVIOUS_FILE: await file(`${previousKey},\n${key}\n`),
      METRICS_TOKEN_FILE: await file('a-token-for-metrics-4711'),
      OPENAI_API_KEY_FILE: await file('one'),
    });
    expect(config.database.url).toBe(url);
    expect(config.secretsKey).toEqual(Buffer.alloc(32, 7));
    expect(config.previousSecretsKeys).toEqual([Buffer.alloc(32, 8), Buffer.alloc(32, 7)]);
    expect(config.metrics?.token).toBe('a-token-for-metrics-4711');
    expect(config.models.openai?.apiKey).toBe('one');
  });

  test('is supported for every secret variable', () => {
    for (const name of secretVariables) {
      expect(problemsOf({ [`${name}_FILE`]: '/nowhere/secret' })).toContainEqual(
        expect.stringMatching(`^${name}_FILE names /nowhere/secret, which cannot be read .ENOENT.`),
      );
    }
  });

  test('is an error if the variable is set too, or if the file is empty', async () => {
    const both = { SECRETS_KEY: key, SECRETS_KEY_FILE: await file(key) };
    expect(problemsOf(both)).toEqual([
      'SECRETS_KEY and SECRETS_KEY_FILE are both set. Remove one of them.',
    ]);
    const empty = await file(' \n');
    expect(problemsOf({ DATABASE_URL: url, SECRETS_KEY_FILE: empty })).toEqual([
      `SECRETS_KEY_FILE names ${empty}, which is empty.`,
    ]);
  });

  test('is validated like the variable, and not repeated in errors', async () => {
    const problems = problemsOf({ SECRETS_KEY_FILE: await file('hunter2') });
    expect(problems).toEqual([expect.stringMatching(/^SECRETS_KEY must be 32 random bytes/)]);
    expect(problems.join()).not.toContain('hunter2');
  });
});

describe('the database URL', () => {
  const problemsWith = (text: string) => problemsOf({ DATABASE_URL: text, SECRETS_KEY: key });
  const socket = 'postgresql://user:hunter2@/agents?host=/run/postgresql';

  test.each([
    'postgresql:///agents?host=/run/postgresql',
    socket,
    'postgres://user@%2Frun%2Fpostgresql/agents',
    'postgresql://user:a%2Cb@db/agents?target_session_attrs=any',
    `${url}?sslmode=require`,
    `${url}?sslmode=disable`,
  ])('%s is accepted', (text) => {
    expect(loadDatabaseConfig({ DATABASE_URL: text }).database.url).toBe(text);
  });

  test.each([
    [
      'postgresql://u:hunter2@a:5432,b:5432/agents',
      /^DATABASE_URL names several hosts.* one address/,
    ],
    ['postgresql://u:hunter2@a,b/agents', /^DATABASE_URL names several hosts/],
    ['postgresql:///agents?host=a,b', /^DATABASE_URL names several hosts/],
    [`${url}?target_session_attrs=read-write`, /^DATABASE_URL has target_session_attrs=read-write/],
    [
      `${url}?sslmode=prefer`,
      /^DATABASE_URL has sslmode=prefer.*disable, require, verify-ca, verify/,
    ],
    [`${url}?sslmode=no-verify`, /^DATABASE_URL has sslmode=no-verify/],
    [
      `${url}?sslrootcert=/ca.pem`,
      /^DATABASE_URL has sslrootcert without TLS.*sslmode=verify-full/,
    ],
    [`${url}?sslmode=verify-ca`, /^DATABASE_URL has sslmode=verify-ca without sslrootcert/],
    [
      `${url}?sslmode=verify-full&sslrootcert=/nowhere/ca.pem`,
      /^DATABASE_URL has sslrootcert=\/nowhere\/ca\.pem, which cannot be read \(ENOENT\).*well-known/,
    ],
    [
      `${url}?sslmode=require&sslcert=${import.meta.filename}`,
      /^DATABASE_URL must have sslcert and sslkey together/,
    ],
    [
      `${url}?connect_timeout=0`,
      /^DATABASE_URL has connect_timeout=0, but must have a whole number of seconds from 1 to 60/,
    ],
    [`${url}?connect_timeout=2.5`, /^DATABASE_URL has connect_timeout=2\.5/],
    [`${socket}&sslmode=require`, /^DATABASE_URL has sslmode=require with a socket/],
  ])('%s is rejected with a reason', (text, reason) => {
    const problems = problemsWith(text);
    expect(problems).toEqual([expect.stringMatching(reason)]);
    expect(problems.join()).not.toContain('hunter2');
  });

  test('of the direct connection, bypassing a pooler, is validated in the same way', () => {
    expect(
      problemsOf({
        DATABASE_URL: url,
        DIRECT_DATABASE_URL: `${url}?sslmode=allow`,
        SECRETS_KEY: key,
      }),
    ).toEqual([expect.stringMatching(/^DIRECT_DATABASE_URL has sslmode=allow/)]);
  });
});
