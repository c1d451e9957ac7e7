/** The calls of a reply that had begun when the process was stopped. */
import { expect, test } from '@jest/globals';
import type { Decision } from '../../server/models/converse.js';
import { createToolbox } from '../../server/models/tools/toolbox.js';
import { requestedBy } from './answering-toolbox.js';

/** The result of an interrupted call, and how often it is made again. */
async function afterInterruption(mayRepeat: boolean, decision: Decision) {
  let made = 0;
  const refund = {
    name: 'refund',
    description: 'Refunds an order.',
    parameters: { type: 'object' },
    timeoutMs: 10_000,
    mayRepeat,
    approver: 'caller' as const,
    call: () => {
      made += 1;
      return Promise.resolve('refunded');
    },
  };
  const toolbox = createToolbox(
    [refund],
    { maxSteps: 8 },
    {
      queueKey: 'one',
      conversationId: 'req_1',
      beforeCalls: () => Promise.resolve(),
      onInterrupted: () => undefined,
      onStart: () => undefined,
      onEnd: () => undefined,
      onUnknown: () => undefined,
    },
  );
  const requested = requestedBy(toolbox, [{ id: 'c1', name: 'refund', arguments: {} }]);
  const decisions = new Map([['call_1', decision]]);
  const outcome = await toolbox.call(
    { ...requested, isBegun: true, decisions },
    new AbortController().signal,
  );
  return { made, text: 'results' in outcome ? outcome.results[0]?.text : undefined };
}

test.each<[boolean, Decision['decision'], object]>([
  [true, 'approve', { made: 1, text: 'refunded' }],
  [false, 'approve', { made: 0, text: expect.stringContaining('effect is unknown') }],
  // Another call of the reply had begun.
  [true, 'reject', { made: 0, text: expect.stringContaining('a person rejected it') }],
  [false, 'reject', { made: 0, text: expect.stringContaining('a person rejected it') }],
])('repeatable: %p, decision: %s', async (mayRepeat, decision, expected) => {
  expect(await afterInterruption(mayRepeat, { decision })).toEqual(expected);
});
