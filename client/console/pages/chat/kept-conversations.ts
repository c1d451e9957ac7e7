/** Conversations in the storage of the tab, beside the key and only with it, so that a reload does not lose them. */
import { keptSessionKey } from '../../api/session.js';
import { stored } from '../../lib/storage.js';
import type { Exchange } from './exchange.js';

type Conversation = [key: string, exchanges: Exchange[]];

const kept = stored('sessionStorage', 'conversations');

/** A tab stores a few million characters in all; one that is longer than this is not worth the time to write it. */
const maxLength = 1_000_000;
const noStop = () => undefined;

export function readKept(): Conversation[] {
  try {
    const conversations = JSON.parse(kept.read() ?? '[]') as Conversation[];
    return conversations.map(([key, exchanges]) => [key, exchanges.map(revive)]);
  } catch {
    return [];
  }
}

/** Gives up the oldest exchanges of all conversations until the rest fits. */
export function keep(conversations: Conversation[]): void {
  if (keptSessionKey() === undefined) return;
  let longest = Math.max(0, ...conversations.map(([, exchanges]) => exchanges.length));
  for (; longest > 0; longest = Math.floor(longest / 2)) {
    const json = JSON.stringify(conversations.map(([key, all]) => [key, all.slice(-longest)]));
    if (json.length > maxLength) continue;
    kept.write(json);
    return;
  }
  forgetKept();
}

export function forgetKept(): void {
  kept.write(undefined);
}

/** Nobody reads the rest of a reply that was arriving when the page was left. */
function revive(exchange: Exchange): Exchange {
  const state = exchange.state === 'running' ? 'stopped' : exchange.state;
  return { ...exchange, state, stop: noStop };
}
