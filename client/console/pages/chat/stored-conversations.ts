/** Conversations in the storage of the tab, so that a reload does not lose them. Stored only if the key is. */
import { readStoredKey } from '../../api/session.js';
import { stored } from '../../lib/storage.js';
import type { Approval, Exchange } from './exchange.js';

type Conversation = [key: string, exchanges: Exchange[]];

const storage = stored('sessionStorage', 'conversations');

/** Browsers store a few million characters per tab, and writing more than this would be slow. */
const maxLength = 1_000_000;
const noStop = () => undefined;

export function readStoredConversations(): Conversation[] {
  try {
    const conversations = JSON.parse(storage.read() ?? '[]') as Conversation[];
    return conversations.map(([key, exchanges]) => [key, exchanges.map(revive)]);
  } catch {
    return [];
  }
}

/** Drops the oldest exchanges of all conversations until the rest fits. */
export function storeConversations(conversations: Conversation[]): void {
  if (readStoredKey() === undefined) return;
  let longest = Math.max(0, ...conversations.map(([, exchanges]) => exchanges.length));
  for (; longest > 0; longest = Math.floor(longest / 2)) {
    const json = JSON.stringify(conversations.map(([key, all]) => [key, all.slice(-longest)]));
    if (json.length > maxLength) continue;
    storage.write(json);
    return;
  }
  clearStoredConversations();
}

export function clearStoredConversations(): void {
  storage.write(undefined);
}

/** A reply that was arriving when the page was left cannot be continued, and decisions that were not accepted are none. */
function revive(exchange: Exchange): Exchange {
  const state = exchange.state === 'running' ? 'stopped' : exchange.state;
  return { ...exchange, state, approval: reopen(exchange.approval), stop: noStop };
}

function reopen(approval: Approval | undefined): Approval | undefined {
  const isOpen = approval?.state === 'open' || approval?.state === 'sending';
  return isOpen ? { ...approval, state: 'open', problem: undefined } : approval;
}
