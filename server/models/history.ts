/**
 * Chooses the earlier turns that a model gets. Turns are left out whole and from the oldest on, several at a time, because providers
 * cache a prompt by its beginning: if every turn dropped one, no prompt would begin like the one before.
 */
import { createHash } from 'node:crypto';
import { estimateTokens } from './estimate-tokens.js';
import type { Message } from './model.js';

/** A message of a session with the answer to it. */
export interface Turn {
  /** Unique, and the same whenever the turn is read. */
  id: string;
  message: string;
  answer: Message;
}

interface HistoryLimits {
  turns: number;
  /** Estimated. */
  tokens: number;
}

/** With fewer turns than this, each one matters more than the cache. */
const minTurnsOfBlocks = 8;

/** `turns` are oldest first, and one more than the limit if there are more. */
export function fitHistory<Own extends Turn>(turns: readonly Own[], limits: HistoryLimits): Own[] {
  const fitting = latestWithin(turns, limits);
  if (fitting.length === turns.length) return fitting;
  return fitting.length < minTurnsOfBlocks ? fitting : fitting.slice(blockStart(fitting));
}

export function messagesOf(turns: readonly Turn[]): Message[] {
  return turns.flatMap(({ message, answer }) => [{ role: 'user', content: message }, answer]);
}

/** The newer half of the turns; none if there was only one. */
export function withoutOlderHalf(history: readonly Message[]): {
  history: Message[];
  dropped: number;
} {
  const starts = history.flatMap(({ role }, index) => (role === 'user' ? [index] : []));
  const dropped = Math.ceil(starts.length / 2);
  return { history: history.slice(starts[dropped] ?? history.length), dropped };
}

function tokensOfMessage({ content, calls }: Message): number {
  return estimateTokens(content, calls);
}

function latestWithin<Own extends Turn>(
  turns: readonly Own[],
  { turns: max, tokens }: HistoryLimits,
): Own[] {
  let left = tokens;
  let first = turns.length;
  while (first > 0 && turns.length - first < max) {
    const turn = turns[first - 1];
    if (!turn) break;
    left -= estimateTokens(turn.message) + tokensOfMessage(turn.answer);
    if (left < 0) break;
    first -= 1;
  }
  return turns.slice(first);
}

/**
 * The turn with the lowest hash among the older half. As turns are added and dropped it stays the same until it is dropped itself, so the
 * history begins with the same turn for several turns, although nothing is stored about where it began before.
 */
function blockStart(turns: readonly Turn[]): number {
  const hashes = turns.slice(0, Math.ceil(turns.length / 2)).map(({ id }) => hashOf(id));
  return hashes.indexOf(hashes.toSorted()[0] ?? '');
}

const hashOf = (id: string) => createHash('sha256').update(id).digest('hex');
