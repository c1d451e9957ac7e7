/** What is read from the steps of a run that waited, and how they are written for the invocation that goes on with it. */
import { expect, test } from '@jest/globals';
import {
  committedRun,
  inParts,
  type NewStep,
  type RunStep,
} from '../../server/invocations/steps.js';

const began = {
  type: 'began',
  message: 'Refund orders 7 and 8.',
  context: { user_id: 'ada' },
  environment: null,
  userId: 'ada',
  sessionId: null,
  agent: {
    deploymentId: 'dep_1',
    model: 'local/m',
    temperature: null,
    instructions: '',
    timeoutMs: 1_000,
    historyLimit: 0,
    endpoint: null,
    options: {},
  },
} as const satisfies RunStep;

const replied: RunStep = {
  type: 'replied',
  reply: [],
  text: '',
  calls: ['7', '8'].map((order, index) => ({
    call: { id: order, name: 'refund', arguments: { order } },
    id: `call_${index + 1}`,
  })),
  tokensUsed: 1,
  usage: {},
  elapsedMs: 1,
};

test('the decisions on the calls of a reply add up', () => {
  const run = committedRun([
    began,
    replied,
    {
      type: 'decided',
      message: 'The first one.',
      context: null,
      decisions: { call_1: { decision: 'approve' } },
    },
    {
      type: 'decided',
      message: 'Not the second one.',
      context: null,
      decisions: { call_2: { decision: 'reject' } },
    },
  ]);
  expect(run?.conversation.requested).toMatchObject({
    decisions: new Map([
      ['call_1', { decision: 'approve' }],
      ['call_2', { decision: 'reject' }],
    ]),
    said: 'The first one.\n\nNot the second one.',
  });
});

test('a decision that must not be remembered makes the rest of the run so', () => {
  const decided: RunStep = {
    type: 'decided',
    message: 'Yes.',
    context: { remember: false },
    decisions: { call_1: { decision: 'approve' } },
  };
  expect(committedRun([began, replied, decided])?.context).toEqual({
    user_id: 'ada',
    remember: false,
  });
  expect(committedRun([began, replied])?.context).toEqual({ user_id: 'ada' });
});

test('long steps are written in parts, each of them once and in order', () => {
  const lengths = [10, 900_000, 90_000, 20_000, 3_000_000, 5, 5];
  const steps: NewStep[] = lengths.map((length, position) => ({
    position,
    data: 'x'.repeat(length),
  }));
  const parts = inParts(steps);
  expect(parts.flat()).toEqual(steps);
  expect(parts.map((part) => part.map(({ position }) => position))).toEqual([
    [0, 1, 2],
    [3],
    [4],
    [5, 6],
  ]);
  expect(inParts([])).toEqual([]);
});
