/** `operator schedules`, and schedules in manifests. */
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { parseManifests } from '../../server/operator/parse-manifests.js';
import { operatorInProcess } from '../helpers/service/operator.js';
import { temporaryFolder } from '../helpers/programs/workspace.js';
import { useService, useTenant } from '../helpers/service/service.js';
import { insertSchedule, invocationsOf, logOf, schedulesOf } from '../schedules/due-schedules.js';

// Its invocations stay queued.
const service = useService({ ASYNC_CONCURRENCY: '0', WORKER: 'off' });
const tenant = useTenant(service, { isOnlyAccount: true });
const operator = operatorInProcess(service);

const manifest = (...schedules: string[]) => `name: reporter
model: builtin/echo
schedules:
${schedules.map((one) => `  - ${one}\n`).join('')}`;

const nightly = `{ name: nightly, cron: '0 2 * * *', message: Report. }`;

describe('a manifest is refused', () => {
  test.each([
    [
      'with a wrong minute',
      `{ name: a, cron: '61 * * * *', message: Hi }`,
      "4:22 schedules.0.cron has the minute '61', which must be from 0 to 59",
    ],
    [
      'with a time that never comes',
      `{ name: a, cron: '0 0 31 2 *', message: Hi }`,
      '4:22 schedules.0.cron never comes',
    ],
    [
      'with an unknown time zone',
      `{ name: a, cron: '0 2 * * *', timezone: Mars/Olympus, message: Hi }`,
      "4:45 schedules.0.timezone 'Mars/Olympus' is not the name of a time zone",
    ],
    [
      'with six fields',
      `{ name: a, cron: '0 0 2 * * *', message: Hi }`,
      'must be five fields, minute, hour, day of month, month and day of week',
    ],
    ['without a message', `{ name: a, cron: '0 2 * * *' }`, 'message'],
    [
      'with an empty message',
      `{ name: a, cron: '0 2 * * *', message: '  ' }`,
      'must contain more than white space',
    ],
    [
      'with a wrong name',
      `{ name: Nightly, cron: '0 2 * * *', message: Hi }`,
      'must be lower-case letters, digits and hyphens',
    ],
    ['with another setting', `{ name: a, cron: '0 2 * * *', message: Hi, retry: 3 }`, 'retry'],
  ])('%s', (_how, schedule, problem) => {
    const parsed = parseManifests(manifest(schedule));
    const problems = 'problems' in parsed ? parsed.problems : [];
    const lines = problems.map(({ line, column, message }) => `${line}:${column} ${message}`);
    expect(lines.join('\n')).toContain(problem);
  });

  test.each([
    ['arguments: { customer: "${context.customer}" }', 'context.customer is missing'],
    ['headers: { Authorization: "${caller.token}" }', 'has no caller, whose token tools need'],
  ])('if a schedule lacks what its tools need, such as %s', (setting, problem) => {
    const tools = `tools:
  http:
    - name: orders
      description: Lists orders.
      url: https://api.acme.example/orders
      parameters: { type: object }
      ${setting}
`;
    const parse = (...schedules: string[]) =>
      parseManifests(manifest(...schedules).replace('builtin/echo', 'openai/gpt-5') + tools);
    expect(parse(nightly)).toMatchObject({
      problems: [{ line: 4, message: expect.stringContaining(problem) }],
    });
    const named = nightly.replace(' }', ', context: { customer: ada } }');
    const hasProblems = 'problems' in parse(named);
    expect(hasProblems).toBe(setting.startsWith('headers'));
  });

  test('with two schedules of one name, or more than 20', () => {
    const problemsIn = (text: string) => {
      const parsed = parseManifests(text);
      return 'problems' in parsed ? parsed.problems.map(({ message }) => message) : [];
    };
    expect(problemsIn(manifest(nightly, nightly))).toEqual([
      "schedules.1.name 'nightly' is the name of a schedule above",
    ]);
    const many = Array.from({ length: 21 }, (_each, index) =>
      nightly.replace('nightly', `n${index}`),
    );
    expect(problemsIn(manifest(...many))).toEqual([expect.stringContaining('20')]);
    expect(problemsIn(manifest(...many.slice(1)))).toEqual([]);
  });
});

test('diff shows the schedules that differ, apply changes them, and get prints them', async () => {
  const file = path.join(await temporaryFolder(), 'agent.yaml');
  const run = (verb: string) => operator.run(['agents', verb, '-f', file]);
  await writeFile(file, manifest(nightly));
  expect((await run('apply')).stdout).toBe("Agent 'reporter' created.\n");
  await writeFile(
    file,
    manifest(
      nightly,
      `{ name: weekly, cron: '0 3 * * MON', timezone: Europe/Paris, message: Sum up., context: { secret: s } }`,
    ),
  );
  const diff = await run('diff');
  expect(diff.code).toBe(1);
  expect(diff.stdout).toContain('  +   - name: weekly');
  expect(diff.stdout).not.toContain('nightly');
  expect((await run('apply')).stdout).toBe("Agent 'reporter' updated (schedules).\n");
  expect((await run('diff')).code).toBe(0);
  const printed = await operator.run(['agents', 'get', 'reporter']);
  await writeFile(file, printed.stdout);
  expect((await run('diff')).code).toBe(0);
});

describe('operator schedules', () => {
  let agent: { id: string; name: string };
  const key = () => ({ accountId: tenant.accountId, agentId: agent.id });
  const run = (...args: string[]) => operator.run(['schedules', ...args]);

  beforeEach(async () => {
    agent = await tenant.newAgent();
    const nextAt = new Date(Date.now() + 3_600_000);
    await insertSchedule(service.database, key(), { name: 'nightly', nextAt });
  });

  test('list shows when each is due, and what became of the last run', async () => {
    const listed = await operator.json('schedules', 'list', '--agent', agent.name);
    expect(listed).toMatchObject([
      { agent: agent.name, name: 'nightly', cron: '* * * * *', timezone: 'UTC', paused: false },
    ]);
    const { stdout } = await run('list');
    expect(stdout).toContain('nightly');
  });

  test('run makes an invocation at once, and leaves the next time as it is', async () => {
    const [before] = await schedulesOf(service.database, key());
    const { code, stdout } = await run('run', agent.name, 'nightly');
    expect(code).toBe(0);
    const [invocation] = await invocationsOf(service.database, key());
    expect(stdout).toBe(`${invocation?.id}\n`);
    expect(invocation).toMatchObject({ schedule: 'nightly', createdBy: null });
    expect(await schedulesOf(service.database, key())).toMatchObject([
      { nextAt: before?.nextAt, lastRequestId: invocation?.id },
    ]);
    expect(await logOf(service.database, key())).toMatchObject([
      { message: 'Schedule nightly run by the operator.', requestId: invocation?.id },
    ]);
    expect(await operator.json('schedules', 'list', '--agent', agent.name)).toMatchObject([
      { last_run: { request_id: invocation?.id, outcome: 'queued' } },
    ]);
  });

  test('run is refused while the last invocation runs, for a stopped agent and an unknown name', async () => {
    await run('run', agent.name, 'nightly');
    expect((await run('run', agent.name, 'nightly')).stderr).toContain('still runs');
    expect((await run('run', agent.name, 'weekly')).stderr).toContain(
      `schedule 'weekly' of agent '${agent.name}'`,
    );
    await operator.run(['agents', 'stop', agent.name]);
    expect((await run('run', agent.name, 'nightly')).stderr).toContain('is stopped');
    expect(await invocationsOf(service.database, key())).toHaveLength(1);
  });

  test('run is refused when the account has too many invocations', async () => {
    const where = { id: tenant.accountId };
    await service.database.prisma.account.update({
      where,
      data: { caps: { asyncInvocations: 0 } },
    });
    const { code, stderr } = await run('run', agent.name, 'nightly');
    await service.database.prisma.account.update({ where, data: { caps: {} } });
    expect(code).not.toBe(0);
    expect(stderr).toContain('asynchronous invocations waiting or running');
    expect(await invocationsOf(service.database, key())).toEqual([]);
  });

  test('pause and resume are logged, once', async () => {
    for (const verb of ['pause', 'pause', 'resume', 'resume']) {
      expect((await run(verb, agent.name, 'nightly')).code).toBe(0);
    }
    const entries = await logOf(service.database, key());
    expect(entries.map(({ message }) => message)).toEqual([
      'Schedule nightly paused.',
      'Schedule nightly resumed.',
    ]);
    expect(entries.map(({ metadata }) => metadata)).toEqual([
      { schedule: 'nightly' },
      { schedule: 'nightly' },
    ]);
  });

  test('a resumed schedule is due at its next time from now', async () => {
    await run('pause', agent.name, 'nightly');
    expect(await schedulesOf(service.database, key())).toMatchObject([{ nextAt: null }]);
    const { stdout } = await run('resume', agent.name, 'nightly');
    const [{ nextAt } = { nextAt: null }] = await schedulesOf(service.database, key());
    expect(stdout).toContain(nextAt?.toISOString());
    expect(nextAt?.getTime()).toBeLessThanOrEqual(Date.now() + 60_000);
  });
});

test('erasing a user deletes the schedules that act for them', async () => {
  const { id: agentId } = await tenant.newAgent();
  const agent = { accountId: tenant.accountId, agentId };
  const nextAt = null;
  await insertSchedule(service.database, agent, {
    name: 'ada',
    nextAt,
    context: { user_id: 'ada' },
  });
  await insertSchedule(service.database, agent, {
    name: 'bob',
    nextAt,
    context: { user_id: 'bob' },
  });
  await insertSchedule(service.database, agent, { name: 'nobody', nextAt });
  const erased = await operator.json('users', 'erase', 'ada', '--yes');
  expect(erased).toMatchObject({ erased: { schedules: 1 } });
  const left = await schedulesOf(service.database, agent);
  expect(left.map(({ name }) => name)).toEqual(['bob', 'nobody']);
});
