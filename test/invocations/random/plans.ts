/** Random conversations: what clients send, what the model says to it, and what breaks. */
import fc from 'fast-check';
import type { ProviderSettings } from '../../helpers/model-provider/settings.js';
import type { Finish } from '../../helpers/model-provider/voice.js';

/** How the shop takes a refund. It always makes it. */
export type ShopAnswer = 'ok' | 'error' | 'long' | 'cut' | 'silence';

export interface PlannedCall {
  kind: 'refund' | 'unknown' | 'odd name' | 'half JSON' | 'no object' | 'invalid';
  /** Whether its id is that of the call before it. */
  sameId: boolean;
  shop: ShopAnswer;
}

export interface PlannedBreak {
  after: 'headers' | 'text' | 'half a call' | 'calls';
  by: 'cut' | 'end' | 'garbage' | 'error' | 'stall';
}

export type PlannedText = 'none' | 'blank' | 'short' | 'long';

export type PlannedStep =
  | { status: 400 | 429 | 500 | 503 }
  | {
      text: PlannedText;
      calls: PlannedCall[];
      /** Undefined: what fits the reply. */
      finish: Finish | undefined;
      reportsUsage: boolean;
      breaks: PlannedBreak | undefined;
    };

export type Way = 'plain' | 'stream' | 'async';

export interface PlannedTurn {
  message: 'short' | 'long' | 'huge';
  way: Way;
  isKeyed: boolean;
  /** The request to the model at which the client disconnects. */
  leavesAt: number | undefined;
  /** Only with a key. */
  repeats: { when: 'at once' | 'later'; way: Way }[];
  /** What the model does at each request; afterwards it answers. */
  steps: PlannedStep[];
}

export interface PlannedConversation {
  provider: 'local' | 'openai' | 'anthropic';
  window: number | undefined;
  /** Each of a session, at the same time. */
  sessions: PlannedTurn[][];
}

export interface Plan {
  server: Pick<
    ProviderSettings,
    'kind' | 'overflow' | 'rolesMustAlternate' | 'argumentsMustBeJson'
  >;
  /** Each of an agent, at the same time. */
  conversations: PlannedConversation[];
  /** When the instance ends; undefined if it does not. */
  end: PlannedEnd | undefined;
}

/** The instance ends while the shop makes this refund, or while the model reads the results of this step. */
export interface PlannedEnd {
  during: 'refund' | 'results';
  count: number;
}

export const ends: fc.Arbitrary<PlannedEnd> = fc.record({
  during: fc.constantFrom('refund', 'results'),
  count: fc.integer({ min: 1, max: 3 }),
});

/** Of two values, the first one is simpler and more frequent. */
const mostly = <Value>(
  usual: fc.Arbitrary<Value>,
  weight: number,
  ...others: fc.Arbitrary<Value>[]
) =>
  fc.oneof({ arbitrary: usual, weight }, ...others.map((arbitrary) => ({ arbitrary, weight: 1 })));

const one = <const Value>(value: Value) => fc.constant(value);

const calls: fc.Arbitrary<PlannedCall> = fc.record({
  kind: mostly<PlannedCall['kind']>(
    one('refund'),
    6,
    one('unknown'),
    one('odd name'),
    one('half JSON'),
    one('no object'),
    one('invalid'),
  ),
  sameId: mostly<boolean>(one(false), 5, one(true)),
  shop: mostly<ShopAnswer>(one('ok'), 8, one('error'), one('long'), one('cut'), one('silence')),
});

const breaks: fc.Arbitrary<PlannedBreak> = fc.record({
  after: fc.constantFrom('headers', 'text', 'half a call', 'calls'),
  by: mostly<PlannedBreak['by']>(
    one('cut'),
    3,
    one('end'),
    one('garbage'),
    one('error'),
    one('stall'),
  ),
});

const replies: fc.Arbitrary<PlannedStep> = fc.record({
  text: fc.constantFrom<PlannedText[]>('none', 'short', 'blank', 'long'),
  calls: mostly(
    fc.array(calls, { maxLength: 1 }),
    1,
    fc.array(calls, { minLength: 1, maxLength: 3 }),
  ),
  finish: mostly<Finish | undefined>(
    one(undefined),
    6,
    one('stop'),
    one('length'),
    one('content_filter'),
    one('refusal'),
  ),
  reportsUsage: mostly<boolean>(one(true), 4, one(false)),
  breaks: mostly<PlannedBreak | undefined>(one(undefined), 5, breaks),
});

const steps: fc.Arbitrary<PlannedStep> = mostly<PlannedStep>(
  replies,
  6,
  fc.record({ status: fc.constantFrom(500, 503, 429, 400) }),
);

const ways = fc.constantFrom<Way[]>('plain', 'stream', 'async');

const turns: fc.Arbitrary<PlannedTurn> = fc.record({
  message: mostly<PlannedTurn['message']>(one('short'), 5, one('long'), one('huge')),
  way: ways,
  isKeyed: mostly<boolean>(one(true), 3, one(false)),
  leavesAt: mostly<number | undefined>(one(undefined), 4, fc.integer({ min: 1, max: 3 })),
  repeats: fc.array(fc.record({ when: fc.constantFrom('at once', 'later'), way: ways }), {
    maxLength: 2,
  }),
  steps: fc.array(steps, { maxLength: 4 }),
});

const conversations: fc.Arbitrary<PlannedConversation> = fc.record({
  provider: fc.constantFrom('local', 'openai', 'anthropic'),
  window: mostly<number | undefined>(one(undefined), 1, one(2_000)),
  sessions: fc.array(fc.array(turns, { minLength: 1, maxLength: 3 }), {
    minLength: 1,
    maxLength: 2,
  }),
});

interface PlanLimits {
  conversations: { minLength: number; maxLength: number };
  end: fc.Arbitrary<Plan['end']>;
}

export const plansOf = ({ conversations: lengths, end }: PlanLimits): fc.Arbitrary<Plan> =>
  fc.record({
    server: fc.record({
      kind: fc.constantFrom('openai', 'vllm', 'llama.cpp', 'lmstudio', 'tgi', 'deepseek'),
      overflow: fc.constantFrom('status', 'stream'),
      rolesMustAlternate: fc.boolean(),
      argumentsMustBeJson: fc.boolean(),
    }),
    conversations: fc.array(conversations, lengths),
    end,
  });
