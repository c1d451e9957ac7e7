/** `logs --follow`: every entry once, whenever and in whatever order it is stored. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createLogReader, followLogs } from '../../client/cli/follow.js';
import { createOutput } from '../../client/cli/output.js';
import { processTerminal, type Terminal } from '../../client/cli/terminal.js';
import {
  AgentHostingError,
  ConnectionError,
  type GetLogsQuery,
  type LogEntry,
} from '../../client/src/index.js';
import { startTestService, type Tenant, type TestService } from '../helpers/service.js';
import { createShell, type Shell } from './shell.js';

describe('reading a log that grows', () => {
  const begin = Date.UTC(2026, 10, 2);
  let number = 0;

  function entryAt(second: number): LogEntry {
    number += 1;
    return {
      id: `log_${number}`,
      timestamp: new Date(begin + second * 1000).toISOString(),
      level: 'info',
      message: `at ${second}`,
      metadata: { request_id: 'req_1' },
    };
  }

  /** Newest first, in pages, as the service gives it; before each page something may happen. */
  function logOf(entries: LogEntry[], beforePage: (page: number) => void = () => undefined) {
    return ({ limit = 100 }: GetLogsQuery) => ({
      page: () => Promise.reject(new Error('Not asked for.')),
      async *[Symbol.asyncIterator]() {
        for (let page = 0; ; page += 1) {
          beforePage(page);
          const sorted = [...entries].sort((one, other) =>
            one.timestamp < other.timestamp ? 1 : -1,
          );
          const part = sorted.slice(page * limit, (page + 1) * limit);
          yield* part;
          if (part.length < limit) return;
          await Promise.resolve();
        }
      },
    });
  }

  const live = new AbortController().signal;
  const messages = (entries: LogEntry[]) => entries.map(({ message }) => message);

  test('begins with the latest, and goes on with what is new', async () => {
    const entries = [1, 2, 3, 4].map(entryAt);
    const reader = createLogReader(logOf(entries));
    expect(messages(await reader.latest(2, true))).toEqual(['at 3', 'at 4']);
    expect(await reader.fresh(false, live)).toEqual([]);
    entries.push(entryAt(6), entryAt(5));
    expect(messages(await reader.fresh(false, live))).toEqual(['at 5', 'at 6']);
    expect(await reader.fresh(true, live)).toEqual([]);
  });

  test('finds what is stored late, among hundreds that are known', async () => {
    const entries = Array.from({ length: 1500 }, (_, second) => entryAt(second / 10));
    const reader = createLogReader(logOf(entries));
    await reader.latest(10, true);
    entries.push(entryAt(3));
    expect(await reader.fresh(false, live)).toEqual([]);
    expect(messages(await reader.fresh(true, live))).toEqual(['at 3']);
    expect(await reader.fresh(true, live)).toEqual([]);
  });

  test('repeats nothing when entries come in between two pages', async () => {
    const entries = [entryAt(0)];
    const reader = createLogReader(
      logOf(entries, (page) => {
        if (page > 0 && entries.length < 253) entries.push(entryAt(1000 + page));
      }),
    );
    await reader.latest(1, true);
    entries.push(...Array.from({ length: 250 }, (_, second) => entryAt(second + 1)));
    const found = await reader.fresh(false, live);
    const rest = await reader.fresh(false, live);
    const ids = [...found, ...rest].map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).toHaveLength(entries.length - 1);
  });

  test('finds again what a failed look had found', async () => {
    const entries = [entryAt(0)];
    let isBroken = true;
    const reader = createLogReader(
      logOf(entries, (page) => {
        if (page === 1 && isBroken) throw new Error('The connection broke off.');
      }),
    );
    await reader.latest(1, true);
    entries.push(...Array.from({ length: 150 }, (_, second) => entryAt(second + 1)));
    await expect(reader.fresh(false, live)).rejects.toThrow();
    isBroken = false;
    expect(await reader.fresh(false, live)).toHaveLength(150);
  });
});

describe('following', () => {
  const entry: LogEntry = {
    id: 'log_1',
    timestamp: '2026-11-02T00:00:00.000Z',
    level: 'info',
    message: 'back again',
    metadata: { request_id: 'req_1' },
  };

  /** What is shown and remarked when looks for new entries go so, one after the other. */
  async function follow(...looks: (() => Promise<LogEntry[]>)[]) {
    const ending = new AbortController();
    const notes: string[] = [];
    const terminal: Terminal = {
      ...processTerminal(),
      note: (text) => void notes.push(text),
      paintNote: (_style, text) => text,
    };
    const shown: string[] = [];
    const fresh = () => looks.shift()?.() ?? Promise.resolve([]);
    const following = followLogs(
      { terminal, output: createOutput(terminal, false), interruptible: () => ending.signal },
      { latest: () => Promise.resolve([]), fresh },
      ({ message }) => {
        shown.push(message);
        ending.abort();
      },
    );
    await following;
    return { shown, notes };
  }

  test('waits for a service that is away for a while', async () => {
    const { shown, notes } = await follow(
      () => Promise.reject(new ConnectionError('The connection broke off.')),
      () => Promise.resolve([entry]),
    );
    expect(shown).toEqual(['back again']);
    expect(notes).toEqual(['No answer; trying again …\n', 'The service is back.\n']);
  });

  test('ends with what waiting does not mend', async () => {
    const gone = new AgentHostingError('There is no such agent.');
    await expect(follow(() => Promise.reject(gone))).rejects.toBe(gone);
  });
});

describe('following a live agent', () => {
  let service: TestService;
  let tenant: Tenant;
  let shell: Shell;

  beforeAll(async () => {
    [service, shell] = await Promise.all([startTestService(), createShell()]);
    tenant = await service.tenant();
    await tenant.newAgent({ name: 'busy-bot' });
    await shell.login(service.url, tenant.key);
  });

  afterAll(() => service.stop());

  function invoke(message: string) {
    return tenant.api.expect('invokeAgent', 200, {
      path: { agent_id: 'busy-bot' },
      body: { message },
    });
  }

  test('shows every entry once, and ends with 130 by Ctrl-C', async () => {
    const { data: before } = await invoke('before');
    const following = shell.start(['logs', 'busy-bot', '--follow', '--json']);
    await following.sees(before.request_id);
    const made = await Promise.all(['one', 'two', 'three'].map(invoke));
    for (const { data } of made) await following.sees(data.request_id);
    const { data: last } = await invoke('last');
    await following.sees(last.request_id);
    following.kill('SIGINT');
    const { code, stdout, stderr } = await following.ended;
    expect({ code, stderr }).toEqual({ code: 130, stderr: '' });
    const entries = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as LogEntry);
    const { data: stored } = await tenant.api.expect('getLogs', 200, {
      path: { agent_id: 'busy-bot' },
    });
    expect(new Set(entries.map(({ id }) => id)).size).toBe(entries.length);
    expect(entries.map(({ id }) => id).sort()).toEqual(stored.map(({ id }) => id).sort());
  });
});
