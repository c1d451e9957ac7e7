/** The turns of a random run: what the model does at each request of a turn, and what the shop and the model saw of it. */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { eventually } from '../../helpers/eventually.js';
import { rateLimited, serverError, status } from '../../helpers/model-provider/failures.js';
import { replyTo, type Step } from '../../helpers/model-provider/provider.js';
import type { ModelPrompt } from '../../helpers/model-provider/prompts.js';
import type { Behaviour } from '../../helpers/model-provider/received.js';
import type { Reply, WantedCall } from '../../helpers/model-provider/reply.js';
import type { PlannedCall, PlannedEnd, PlannedStep, PlannedTurn, ShopAnswer } from './plans.js';

/** A call of `refund` by the model, known by its own order number. */
interface Refund {
  turn: Turn;
  shop: ShopAnswer;
  /** Whether the reply was complete and asked for tools. */
  isComplete: boolean;
  timesSeen: number;
}

export interface Turn {
  /** Part of its message. */
  id: string;
  key: string;
  plan: PlannedTurn;
  /** How often the model was asked. */
  asked: number;
  /** How many of its refunds the shop saw. */
  effects: number;
}

export interface Turns {
  open: (plan: PlannedTurn) => Turn;
  /** What the model does. */
  behaviour: Behaviour;
  /** What the shop does. */
  shop: (req: IncomingMessage, res: ServerResponse) => void;
  /** By order number. */
  refunds: ReadonlyMap<string, Refund>;
  /** Whether the instance is to end now. What it waits for comes only after `resume`. */
  readonly isAtEnd: boolean;
  resume: () => void;
  /** What must not happen, and did. */
  violations: string[];
}

const words = (length: number) => 'word '.repeat(length / 5);

const texts = { none: undefined, blank: '\n\n', short: 'Let me see.', long: words(3_000) };

const messages = { short: '', long: words(1_500), huge: words(12_000) };

export const messageOf = ({ id, plan }: Turn): string =>
  `#${id}# Refund it. ${messages[plan.message]}`;

export function createTurns(end: PlannedEnd | undefined): Turns {
  // A case that failed may leave runs behind, which are not to be taken for those of the next one.
  const prefix = randomUUID().slice(0, 8);
  const turns = new Map<string, Turn>();
  const refunds = new Map<string, Refund>();
  const violations: string[] = [];
  const reached = { refund: 0, results: 0 };
  let isAtEnd = false;
  let resume = () => {};
  const ended = new Promise<void>((resolve) => {
    resume = resolve;
  });

  const untilEnded = async (during: PlannedEnd['during']) => {
    reached[during] += 1;
    if (end?.during !== during || reached[during] !== end.count) return;
    isAtEnd = true;
    await ended;
  };

  const wanted = (call: PlannedCall, turn: Turn, isComplete: boolean): WantedCall => {
    const order_id = `${prefix}o${refunds.size + 1}`;
    const args = { order_id, reason: 'It is blue.' };
    if (call.kind === 'refund') {
      refunds.set(order_id, { turn, shop: call.shop, isComplete, timesSeen: 0 });
    }
    switch (call.kind) {
      case 'refund':
        return { name: 'refund', arguments: args };
      case 'unknown':
        return { name: 'functions.refund', arguments: args };
      case 'odd name':
        return { name: 'refund order!', arguments: args };
      case 'half JSON':
        return { name: 'refund', arguments: JSON.stringify(args).slice(0, -3) };
      case 'no object':
        return { name: 'refund', arguments: '"9"' };
      case 'invalid':
        return { name: 'refund', arguments: '{"order_id":7}' };
    }
  };

  const said = (step: PlannedStep, turn: Turn): Step => {
    if ('status' in step) return step.status === 429 ? rateLimited(1) : status(step.status);
    const { text: kind, finish, reportsUsage, breaks } = step;
    const isComplete =
      breaks === undefined &&
      (finish === undefined || finish === 'stop' || finish === 'tool_calls');
    const calls: WantedCall[] = [];
    for (const call of step.calls) {
      const id = (call.sameId && calls.at(-1)?.id) || `c${randomUUID().slice(0, 8)}`;
      calls.push({ ...wanted(call, turn, isComplete), id });
    }
    const reply: Reply = { calls };
    const content = texts[kind];
    if (content !== undefined) reply.text = content;
    if (finish === 'refusal') reply.refusal = 'I will not.';
    if (finish !== undefined) reply.finish = finish;
    if (!reportsUsage) reply.usage = 'none';
    if (breaks) {
      reply.breaks = { ...breaks, by: breaks.by === 'error' ? serverError : breaks.by };
    }
    return reply;
  };

  const next = (prompt: ModelPrompt): Step => {
    const isMessage = ({ role }: { role: string }) => role === 'user';
    const last = prompt.messages.findLastIndex(isMessage);
    const message = prompt.messages[last]?.text ?? '';
    const [id = ''] = [...message.matchAll(/#(\w+)#/g)].map(([, found = '']) => found).slice(-1);
    const turn = turns.get(id);
    if (!turn) {
      if (id !== '' && !id.startsWith(prefix)) return 'Hello.';
      violations.push(`A prompt has no message of a turn: ${message.slice(0, 100)}`);
      return 'What?';
    }
    turn.asked += 1;
    const hasResults = prompt.messages.slice(last).some(({ role }) => role === 'tool');
    if (turn.effects > 0 && !hasResults) {
      violations.push(`The run of turn ${id} started over after it had made a refund.`);
    }
    const step = turn.plan.steps[turn.asked - 1];
    return step ? said(step, turn) : 'Hello.';
  };

  const answer = async (req: IncomingMessage, res: ServerResponse) => {
    await text(req);
    const [, order = ''] = /^\/orders\/(\w+)\/refund$/.exec(req.url ?? '') ?? [];
    const refund = refunds.get(order);
    if (!refund) {
      if (order === '' || order.startsWith(prefix)) {
        violations.push(`The shop got a request that the model did not want: ${req.url}`);
      }
      res.end();
      return;
    }
    refund.timesSeen += 1;
    refund.turn.effects += 1;
    if (!refund.isComplete) violations.push(`Refund ${order} was made for an incomplete reply.`);
    if (refund.timesSeen > 1) violations.push(`Refund ${order} was made twice.`);
    await untilEnded('refund');
    if (refund.shop === 'silence') return;
    if (refund.shop === 'cut') {
      res.destroy();
      return;
    }
    res.writeHead(refund.shop === 'error' ? 500 : 200, { 'content-type': 'application/json' });
    res.end(
      JSON.stringify({ refunded: order, receipt: words(refund.shop === 'long' ? 20_000 : 5) }),
    );
  };

  return {
    open: (plan) => {
      const id = `${prefix}t${turns.size + 1}`;
      const turn = { id, key: randomUUID(), plan, asked: 0, effects: 0 };
      turns.set(turn.id, turn);
      return turn;
    },
    behaviour: async (res, request) => {
      if (request.prompt().messages.at(-1)?.role === 'tool') await untilEnded('results');
      await replyTo(next)(res, request);
    },
    shop: (req, res) => void answer(req, res),
    refunds,
    get isAtEnd() {
      return isAtEnd;
    },
    resume,
    violations,
  };
}

/** Resolves when the model was asked this often for the turn, or when `isOver`. */
export const untilAsked = (turn: Turn, times: number, isOver: () => boolean): Promise<void> =>
  eventually(() => {
    if (turn.asked < times && !isOver())
      throw new Error(`${turn.id} was asked ${turn.asked} times.`);
  });
