/** Calls that had begun, or that a person has decided on, when another process goes on with them. */
import { expect, test } from '@jest/globals';
import type { Tool } from '../../server/models/tools/tool.js';
import { createToolbox } from '../../server/models/tools/toolbox.js';
import { requestedBy } from './answering-toolbox.js';

const toolboxOf = (tools: readonly Tool[]) =>
  createToolbox(
    tools,
    { maxSteps: 5 },
    {
      queueKey: 'acc_1',
      conversationId: 'req_1',
      beforeCalls: () => Promise.resolve(),
      onInterrupted: () => undefined,
      onStart: () => undefined,
      onEnd: () => undefined,
      onUnknown: () => undefined,
    },
  );

test('a call of a tool that is gone keeps its result, or its effect is unknown', async () => {
  const calls = ['call_1', 'call_2'].map((id) => ({
    call: { id, name: 'refund', arguments: {} },
    id,
  }));
  const toolbox = toolboxOf([]);
  const outcome = await toolbox.call(
    {
      ...requestedBy(toolbox, []),
      calls,
      isBegun: true,
      results: new Map([['call_1', { succeeded: true, text: 'Refunded.' }]]),
    },
    new AbortController().signal,
  );
  expect(outcome).toMatchObject({
    results: [
      { succeeded: true, text: 'Refunded.' },
      { succeeded: false, text: expect.stringContaining('Its effect is unknown') },
    ],
  });
});

test('a rejected call is not made, even if it had begun and may be repeated', async () => {
  const made: string[] = [];
  const tool: Tool = {
    name: 'refund',
    description: '',
    parameters: { type: 'object' },
    timeoutMs: 1_000,
    mayRepeat: true,
    approver: 'caller',
    call: (_args, _signal, { key }) => {
      made.push(key);
      return Promise.resolve('Refunded.');
    },
  };
  const toolbox = toolboxOf([tool]);
  const calls = ['c1', 'c2'].map((id) => ({ id, name: tool.name, arguments: {} }));
  const outcome = await toolbox.call(
    {
      ...requestedBy(toolbox, calls),
      isBegun: true,
      decisions: new Map([
        ['call_1', { decision: 'reject' as const, note: 'Over the limit' }],
        ['call_2', { decision: 'approve' as const }],
      ]),
    },
    new AbortController().signal,
  );
  expect(outcome).toMatchObject({
    results: [
      { succeeded: false, text: 'Not called: a person rejected it: Over the limit' },
      { succeeded: true, text: 'Refunded.' },
    ],
  });
  expect(made).toEqual(['req_1.call_2']);
});
