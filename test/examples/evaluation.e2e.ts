/** The cases in examples/evaluation pass, in the draft and in production. */
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { useShell } from '../cli/shell.js';
import { root } from '../helpers/programs/workspace.js';
import { operatorInProcess } from '../helpers/service/operator.js';
import { useService, useTenant } from '../helpers/service/service.js';

const service = useService();
const tenant = useTenant(service, { isOnlyAccount: true });
const shell = useShell();
const folder = path.join(root, 'examples/evaluation');

test('the agent of the example passes its cases', async () => {
  const applied = ['agents', 'apply', '-f', path.join(folder, 'agent.yaml')];
  expect(await operatorInProcess(service).run(applied)).toMatchObject({ code: 0 });
  const run = (...args: string[]) =>
    shell.run(args, {
      env: { AGENT_HOSTING_API_KEY: tenant.key, AGENT_HOSTING_BASE_URL: service.url },
    });
  expect(await run('deployments', 'create', 'order-desk', '1.0.0')).toMatchObject({ code: 0 });
  const cases = ['-f', path.join(folder, 'cases.yaml'), '--against', 'production'];
  const { code, stdout } = await run('evaluate', 'order-desk', ...cases);
  expect(stdout).toMatch(/^draft +3 of 3 cases passed/m);
  expect(stdout).toMatch(/^production +3 of 3 cases passed/m);
  expect(code).toBe(0);
});
