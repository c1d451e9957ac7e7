/** `logs --follow`: prints every entry once, whatever the order in which entries are stored. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { createLogReader, followLogs } from '../../client/cli/log-follower.js';
import { createOutput } from '../../client/cli/output.js';
import { processTerminal, type Terminal } from '../../client/cli/terminal.js';
import {
  AgentHostingError,
  ConnectionError,
  type GetLogsQuery,
  type LogEntry,
  type LogLevel,
} from '../../client/src/index.js';
import type { Tenant } from '../helpers/service/service.js';
import { plainText } from './plain-text.js';
import { useService } from './set-up.js';
import { useShell } from './shell.js';

describe('reading a log that grows', () => {
  const start = Date.UTC(2026, 10, 2);
  let number = 0;

  function entryAt(second: number, level: LogLevel = 'info'): LogEntry {
    number += 1;
    return {
      id: `log_${number}`,
      timestamp: new Date(start + second * 1000).toISOString(),
      level,
      message: `at ${second}`,
      metadata: { request_id: 'req_1' },
    };
  }

  /** Lists entries as the service does: newest first, in pages. `beforePage` is called before each page. */
  function listOf(entries: LogEntry[], beforePage: (page: number) => void = () => undefined) {
    return ({ limit = 100, level }: GetLogsQuery) => ({
      async *[Symbol.asyncIterator]() {
        for (let page = 0; ; page += 1) {
          beforePage(page);
          const sorted = entries
            .filter((entry) => level === undefined || entry.level === level)
            .sort((one, other) => (one.timestamp < other.timestamp ? 1 : -1));
          const part = sorted.slice(page * limit, (page + 1) * limit);
          yield* part;
          if (part.length < limit) return;
          await Promise.resolve();
        }
      },
    });
  }

  const { signal } = new AbortController();
  const messages = (entries: LogEntry[]) => entries.map(({ message }) => message);

  test('starts with the latest entries, and continues with new ones', async () => {
    const entries = [1, 2, 3, 4].map((second) => entryAt(second));
    const reader = createLogReader(listOf(entries));
    expect(messages(await reader.readLatest(2, true))).toEqual(['at 3', 'at 4']);
    expect(await reader.readNew('quick', signal)).toEqual([]);
    entries.push(entryAt(6), entryAt(5));
    expect(messages(await reader.readNew('quick', signal))).toEqual(['at 5', 'at 6']);
    expect(await reader.readNew('full', signal)).toEqual([]);
  });

  test('with a minimum level merges the levels above it, and reads no more than it needs', async () => {
    const levels: LogLevel[] = ['debug', 'info', 'error', 'debug', 'warn', 'debug'];
    const entries = Array.from({ length: 600 }, (_, second) =>
      entryAt(second, levels[second % levels.length]),
    );
    const asked: GetLogsQuery[] = [];
    const read = (minimum: LogLevel, limit: number) =>
      createLogReader((query) => {
        asked.push(query);
        return listOf(entries)(query);
      }, minimum).readLatest(limit, false);
    expect(messages(await read('warn', 3))).toEqual(['at 592', 'at 596', 'at 598']);
    expect(asked).toEqual([
      { level: 'warn', limit: 3 },
      { level: 'error', limit: 3 },
    ]);
    const above = entries.filter(({ level }) => level !== 'debug').map(({ message }) => message);
    expect(messages(await read('info', 250))).toEqual(above.slice(-250));
    expect(messages(await read('info', 1000))).toEqual(above);
    expect(await read('debug', 1000)).toHaveLength(600);
  });

  test('with a minimum level polls with one request', async () => {
    const entries = [entryAt(1, 'warn'), entryAt(2, 'info'), entryAt(3, 'error')];
    const asked: GetLogsQuery[] = [];
    const reader = createLogReader((query) => {
      asked.push(query);
      return listOf(entries)(query);
    }, 'warn');
    expect(messages(await reader.readLatest(5, true))).toEqual(['at 1', 'at 3']);
    entries.push(entryAt(4, 'debug'), entryAt(5, 'error'), entryAt(2.5, 'warn'));
    asked.length = 0;
    expect(messages(await reader.readNew('quick', signal))).toEqual(['at 2.5', 'at 5']);
    expect(asked).toEqual([{ limit: 100 }]);
    expect(await reader.readNew('full', signal)).toEqual([]);
  });

  test('finds entries that are stored late, among hundreds that are known', async () => {
    const entries = Array.from({ length: 1500 }, (_, second) => entryAt(second / 10));
    const reader = createLogReader(listOf(entries));
    await reader.readLatest(10, true);
    entries.push(entryAt(3));
    expect(await reader.readNew('quick', signal)).toEqual([]);
    expect(messages(await reader.readNew('full', signal))).toEqual(['at 3']);
    expect(await reader.readNew('full', signal)).toEqual([]);
  });

  test('repeats no entry if others are stored between two pages', async () => {
    const entries = [entryAt(0)];
    const reader = createLogReader(
      listOf(entries, (page) => {
        if (page > 0 && entries.length < 253) entries.push(entryAt(1000 + page));
      }),
    );
    await reader.readLatest(1, true);
    entries.push(...Array.from({ length: 250 }, (_, second) => entryAt(second + 1)));
    const found = await reader.readNew('quick', signal);
    const rest = await reader.readNew('quick', signal);
    const ids = [...found, ...rest].map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).toHaveLength(entries.length - 1);
  });

  test('finds the entries of a failed scan again', async () => {
    const entries = [entryAt(0)];
    let isBroken = true;
    const reader = createLogReader(
      listOf(entries, (page) => {
        if (page === 1 && isBroken) throw new Error('The connection was lost.');
      }),
    );
    await reader.readLatest(1, true);
    entries.push(...Array.from({ length: 150 }, (_, second) => entryAt(second + 1)));
    await expect(reader.readNew('quick', signal)).rejects.toThrow();
    isBroken = false;
    expect(await reader.readNew('quick', signal)).toHaveLength(150);
  });
});

describe('following', () => {
  const entry: LogEntry = {
    id: 'log_1',
    timestamp: '2026-11-02T00:00:00.000Z',
    level: 'info',
    message: 'available again',
    metadata: { request_id: 'req_1' },
  };

  /** Returns the entries and notes that are printed if the scans have these results. */
  async function follow(...scans: (() => Promise<LogEntry[]>)[]) {
    const interruption = new AbortController();
    const notes: string[] = [];
    const terminal: Terminal = {
      ...processTerminal(),
      note: (...lines) => void notes.push(...lines.map(plainText)),
    };
    const printed: string[] = [];
    const readNew = () => scans.shift()?.() ?? Promise.resolve([]);
    await followLogs(
      {
        output: createOutput(terminal, { isJson: false, isRaw: false }),
        interruptSignal: () => interruption.signal,
      },
      { readLatest: () => Promise.resolve([]), readNew },
      ({ message }) => {
        printed.push(message);
        interruption.abort();
      },
    );
    return { printed, notes };
  }

  test('keeps trying while the service is unavailable', async () => {
    const { printed, notes } = await follow(
      () => Promise.reject(new ConnectionError('The connection was lost.')),
      () => Promise.resolve([entry]),
    );
    expect(printed).toEqual(['available again']);
    expect(notes).toEqual(['No response; retrying …', 'The service is available again.']);
  });

  test('ends with an error that retrying does not fix', async () => {
    const permanent = new AgentHostingError('There is no such agent.');
    await expect(follow(() => Promise.reject(permanent))).rejects.toBe(permanent);
  });
});

describe('following a live agent', () => {
  const service = useService();
  const shell = useShell();
  let tenant: Tenant;

  beforeAll(async () => {
    tenant = await service.tenant();
    await tenant.newAgent({ name: 'busy-bot' });
    await shell.login(service.url, tenant.key);
  });

  function invoke(message: string) {
    return tenant.api.expect('invokeAgent', 200, {
      path: { agent_id: 'busy-bot' },
      body: { message },
    });
  }

  test('prints every entry once, and exits with 130 after Ctrl-C', async () => {
    const { data: before } = await invoke('before');
    const following = shell.start(['logs', 'busy-bot', '--follow', '--json']);
    await following.waitFor(before.request_id);
    const made = await Promise.all(['one', 'two', 'three'].map(invoke));
    for (const { data } of made) await following.waitFor(data.request_id);
    const { data: last } = await invoke('last');
    await following.waitFor(last.request_id);
    following.kill('SIGINT');
    const { code, stdout, stderr } = await following.completed;
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
