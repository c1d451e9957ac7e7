/** Start-up mistakes: each gets one message that says what to do, without a stack. */
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { dataDirectory } from '../helpers/database/data-directory.js';
import { useDatabase } from '../helpers/database/database.js';
import { type ProgramOptions, startBuilt, startProgram } from '../helpers/programs/process.js';
import { environmentFor } from '../helpers/service/service.js';
import { temporaryFolder } from '../helpers/programs/workspace.js';

const timeoutMs = 60_000;

const isRoot = process.getuid?.() === 0;
const unprivilegedUser = { uid: 65_534, gid: 65_534 };

const made = useDatabase();

/** The message of a service that does not start. */
async function refusal(options: ProgramOptions): Promise<string> {
  const service = await startBuilt('server/main', [], {
    ...options,
    environment: { PORT: '0', ...options.environment },
  });
  expect(await service.ended).toBe(1);
  expect(service.stdout()).toBe('');
  expect(service.stderr()).not.toContain('    at ');
  return service.stderr().trim();
}

const serviceEnvironment = () => environmentFor({ databaseUrl: made.url });

describe('DATA_DIR', () => {
  // Root can write anywhere.
  (isRoot ? test : test.skip)(
    'that this user cannot write to',
    async () => {
      const folder = await dataDirectory(unprivilegedUser);
      const dataDir = path.join(folder, 'data');
      await mkdir(dataDir, { mode: 0o755 });
      expect(await refusal({ environment: { DATA_DIR: dataDir }, user: unprivilegedUser })).toBe(
        `DATA_DIR is ${dataDir}, and the service cannot write there: the user nobody lacks the permission. ` +
          `As an administrator run: install -d -m 0700 -o nobody ${dataDir}; or set DATA_DIR to another directory, ` +
          'or set DATABASE_URL to use a PostgreSQL of your own.',
      );
    },
    timeoutMs,
  );

  test(
    'that cannot be created',
    async () => {
      expect(await refusal({ environment: { DATA_DIR: '/proc/none' } })).toMatch(
        /^DATA_DIR is \/proc\/none, and the service cannot write there: .*[Ss]et DATA_DIR to another/,
      );
    },
    timeoutMs,
  );

  test(
    'that is a file',
    async () => {
      const file = path.join(await dataDirectory(), 'file');
      await writeFile(file, '');
      expect(await refusal({ environment: { DATA_DIR: file } })).toMatch(
        /is a file\. Set DATA_DIR to another directory/,
      );
    },
    timeoutMs,
  );
});

describe('the listening address', () => {
  test(
    'a HOST that this machine does not have',
    async () => {
      const environment = { ...serviceEnvironment(), HOST: '203.0.113.7' };
      expect(await refusal({ environment })).toMatch(
        /^HOST is 203\.0\.113\.7, which is not an address of this machine\. Set it to one of them \(127\.0\.0\.1.*0\.0\.0\.0/,
      );
    },
    timeoutMs,
  );

  test(
    'an unknown HOST',
    async () => {
      const environment = { ...serviceEnvironment(), HOST: 'nowhere.invalid' };
      expect(await refusal({ environment })).toMatch(
        /^HOST is nowhere\.invalid, a name that this machine cannot resolve/,
      );
    },
    timeoutMs,
  );

  test(
    'a privileged port',
    async () => {
      // A machine may allow low ports to every user, so the system's error is simulated.
      const denying =
        'import { Server } from "node:net"; Server.prototype.listen = function () { process.nextTick(() => this.emit("error", Object.assign(new Error("listen EACCES"), { code: "EACCES" }))); return this; };';
      const environment = {
        ...serviceEnvironment(),
        PORT: '80',
        NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(denying)}`,
      };
      expect(await refusal({ environment })).toMatch(
        /^This user may not listen on port 80: .*Set PORT to 1024 or higher.*setcap/,
      );
    },
    timeoutMs,
  );
});

describe('a misspelt variable', () => {
  test(
    'in .env is an error',
    async () => {
      const cwd = await temporaryFolder();
      await writeFile(
        path.join(cwd, '.env'),
        'DATABSE_URL=postgresql://x\nlog_level=debug\nPROT=80\nMY_BOT_SECRET=x\n',
      );
      expect(await refusal({ cwd })).toBe(
        [
          'The configuration is not usable:',
          'DATABSE_URL is not a setting of this service. Did you mean DATABASE_URL?',
          'log_level is not a setting of this service. Did you mean LOG_LEVEL?',
        ].join('\n  - '),
      );
    },
    timeoutMs,
  );

  test(
    'in the environment is a warning',
    async () => {
      const service = await startBuilt('server/main', [], {
        environment: {
          ...serviceEnvironment(),
          PORT: '0',
          DATA_DIR: await dataDirectory(),
          WEBHOOK_CA_FIEL: 'ca.pem',
        },
      });
      await service.printed(
        /"level":"warn".*WEBHOOK_CA_FIEL is not a setting of this service\. Did you mean WEBHOOK_CA_FILE/,
      );
      await service.end('SIGTERM');
    },
    timeoutMs,
  );
});

describe('a Node that is too old', () => {
  const old =
    'Object.defineProperty(process, "versions", { value: { ...process.versions, node: "18.20.8" } })';
  const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(old)}`;

  test.each(['server/main', 'server/worker', 'server/operator/main'])(
    '%s says which version it needs',
    async (name) => {
      for (const program of [
        startProgram(`${name}.ts`, [], { environment: { NODE_OPTIONS } }),
        await startBuilt(name, [], { environment: { NODE_OPTIONS } }),
      ]) {
        expect(await program.ended).toBe(1);
        expect(program.stderr()).toMatch(
          /^The Agent Hosting Service needs Node 20\.19 or later, but this is Node 18\.20\.8 \(.*\)\. Install .*\n$/,
        );
      }
    },
    timeoutMs,
  );
});
