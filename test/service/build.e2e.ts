/** `npm run build` produces plain JavaScript that runs without development tools. */
import { access } from 'node:fs/promises';
import path from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { apiClient, statusAt } from '../helpers/service/api.js';
import { dataDirectory } from '../helpers/database/data-directory.js';
import { ready, startCommand, startProgram } from '../helpers/programs/process.js';
import { environmentFor, useService, useTenant } from '../helpers/service/service.js';
import { edit, projectCopy, runScript } from '../helpers/programs/workspace.js';

const timeoutMs = 180_000;

const service = useService();
const tenant = useTenant(service);
let folder: string;

beforeAll(async () => {
  folder = await projectCopy();
  const { code, stdout, stderr } = await runScript('build', ['--unchecked'], folder);
  if (code !== 0) throw new Error(`The build failed:\n${stdout}${stderr}`);
}, timeoutMs);

describe('the build', () => {
  test('contains every program', async () => {
    for (const program of ['main', 'worker', 'healthcheck', 'operator/main']) {
      await access(path.join(folder, `dist/server/${program}.js`));
    }
  });

  test(
    'serves, and its operator works',
    async () => {
      const environment = {
        ...environmentFor(service),
        PORT: '0',
        DATA_DIR: await dataDirectory(),
      };
      const built = startProgram(path.join(folder, 'dist/server/main.js'), [], { environment });
      try {
        const { url } = await ready(built);
        await apiClient(url, tenant.key).expect('listAgents', 200);
        expect(await statusAt(`${url}/readyz`)).toBe(200);
        expect(await statusAt(`${url}/openapi.json`)).toBe(200);
        const operator = startProgram(
          path.join(folder, 'dist/server/operator/main.js'),
          ['accounts', 'list', '--json'],
          { environment },
        );
        expect(await operator.ended).toBe(0);
        expect(JSON.parse(operator.stdout())).not.toEqual([]);
      } finally {
        expect(await built.end('SIGTERM')).toBe(0);
      }
      expect(built.stderr()).toBe('');
    },
    timeoutMs,
  );

  test(
    'is used by npm, and rebuilt when a source has changed',
    async () => {
      const environment = {
        ...environmentFor(service),
        PORT: '0',
        DATA_DIR: await dataDirectory(),
      };
      const npm = (...args: string[]) => startCommand('npm', args, { cwd: folder, environment });
      const started = npm('start');
      const { url } = await ready(started);
      expect(await statusAt(`${url}/readyz`)).toBe(200);
      // A process manager knows only the process of npm.
      expect(await started.end('SIGTERM')).toBe(0);
      await expect(statusAt(`${url}/readyz`)).rejects.toThrow('fetch failed');
      expect(started.stderr()).not.toContain('built');

      await edit(path.join(folder, 'server/operator/program.ts'), (text) =>
        text.replace(/\.description\([^)]*\)/, ".description('As edited.')"),
      );
      const help = npm('run', '--silent', 'operator', '--', '--help');
      expect(await help.ended).toBe(0);
      expect(help.stdout()).toContain('As edited.');
      expect(help.stderr()).toContain('built');
    },
    timeoutMs,
  );
});
