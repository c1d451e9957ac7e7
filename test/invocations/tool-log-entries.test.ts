/** The log of a run with tools, while the database answers late, wrongly or not at all: no entry is lost, and none is written twice. */
import { describe, expect, test } from '@jest/globals';
import {
  openToolLog,
  type RunningLog,
  type Written,
} from '../../server/invocations/running-log.js';
import type { Journal } from '../../server/invocations/journal.js';
import type { LogRecord } from '../../server/invocations/record.js';
import { StepLog } from '../../server/invocations/steps.js';

const entry = (id: string): LogRecord => ({
  id,
  loggedAt: new Date(),
  level: 'info',
  message: id,
  metadata: {},
});

type Answer = () => Promise<Written>;

const written: Answer = () => Promise.resolve('written');
const down: Answer = () => Promise.reject(new Error('down'));

/** A log whose store answers each write in turn, and has stored `stored` whatever it answered. */
function open(answers: Answer[], stored: string[] = []) {
  const journaled: LogRecord[] = [];
  const writes: string[][] = [];
  const steps = new StepLog(0);
  let stepsSent = 0;
  const store: RunningLog = {
    write: ({ logs, steps: sent }) => {
      writes.push(logs.map(({ id }) => id));
      stepsSent += sent.length;
      return (answers.shift() ?? written)();
    },
    findWritten: () => Promise.resolve(new Set(stored)),
  };
  const journal: Pick<Journal, 'take' | 'putBack' | 'toolCalled'> = {
    take: () => journaled.splice(0),
    putBack: (entries) => void journaled.unshift(...entries),
    toolCalled: ({ id }) => void journaled.push(entry(`${id} begins`)),
  };
  const log = openToolLog(
    { id: 'req_1', agentId: 'agent_1', accountId: 'acct_1', userId: null, environment: null },
    {
      store,
      journal,
      steps,
      leases: () => ({ worker: null, key: null }),
      hasActed: false,
    },
  );
  return {
    log,
    writes,
    steps,
    stepsSent: () => stepsSent,
    end: (id: string) => {
      journaled.push(entry(`${id} ends`));
      log.writeSoon();
    },
    /** What is left for the record of the invocation. */
    left: () => journaled.map(({ id }) => id),
  };
}

const nothingSpent = { tokensUsed: 0, usage: {}, elapsedMs: 0 };

const call = (id: string) => ({ id, name: 'refund', arguments: {}, hasEffect: true });

describe('the entries of tool calls', () => {
  test('are written as they begin and end, and the ends before the next step', async () => {
    const { log, writes, end, left } = open([]);
    await log.begin([call('1'), call('2')]);
    end('1');
    end('2');
    await log.begin([call('3')]);
    end('3');
    await log.settle();
    expect(writes.flat()).toEqual([
      '1 begins',
      '2 begins',
      '1 ends',
      '2 ends',
      '3 begins',
      '3 ends',
    ]);
    expect(writes.slice(0, 1)).toEqual([['1 begins', '2 begins']]);
    expect(left()).toEqual([]);
  });

  test('are left for the record if they could not be written', async () => {
    const { log, end, left } = open([written, down]);
    await log.begin([call('1')]);
    end('1');
    await log.settle();
    expect(left()).toEqual(['1 ends']);
  });

  test('are not written again if only the answer was lost', async () => {
    const { log, end, left } = open([written, down], ['1 ends']);
    await log.begin([call('1')]);
    end('1');
    await log.settle();
    expect(left()).toEqual([]);
  });

  test('do not claim that a tool was called whose beginning could not be written', async () => {
    const { log, end, left } = open([written, down, down]);
    await log.begin([call('1')]);
    end('1');
    await expect(log.begin([call('2')])).rejects.toThrow('down');
    await log.settle();
    expect(left()).toEqual(['1 ends']);
  });

  test('keep no step of a run whose first tool was not called, since it may start over', async () => {
    const { log, steps, stepsSent, end, left } = open([down]);
    steps.add({ type: 'replied', reply: [], text: '', calls: [], ...nothingSpent });
    await expect(log.begin([call('1')])).rejects.toThrow('down');
    const attempted = stepsSent();
    end('0');
    await log.settle();
    expect(left()).toEqual([]);
    expect(stepsSent()).toBe(attempted);
  });

  test('keep the steps of a run that has called a tool, if it could not call the next', async () => {
    const { log, steps } = open([written, down]);
    await log.begin([call('1')]);
    expect(steps.unwritten()).toEqual([]);
    steps.add({ type: 'replied', reply: [], text: '', calls: [], ...nothingSpent });
    await expect(log.begin([call('2')])).rejects.toThrow('down');
    expect(steps.unwritten()).toHaveLength(1);
    await log.settle();
    expect(steps.unwritten()).toEqual([]);
  });

  test.each<[Written, string]>([
    ['worker_lost', 'work_lost'],
    ['key_lost', 'key_lost'],
  ])('stop the run if the database answers %s', async (answer, kind) => {
    const { log, left } = open([() => Promise.resolve(answer)]);
    await expect(log.begin([call('1')])).rejects.toMatchObject({ kind });
    expect(left()).toEqual([]);
  });
});
