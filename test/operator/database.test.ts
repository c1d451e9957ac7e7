/** `operator database distribute` without Citus. The rest is in test/citus. */
import { expect, test } from '@jest/globals';
import { operatorInProcess } from '../helpers/service/operator.js';
import { useService } from '../helpers/service/service.js';

const service = useService();

test('says what is missing on a PostgreSQL without Citus, and changes nothing', async () => {
  const operator = operatorInProcess(service);
  const { code, stdout, stderr } = await operator.run(['database', 'distribute']);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toContain('does not have Citus');
  expect(stderr).toContain('docs/scaling.md');
});
