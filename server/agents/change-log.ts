/** Logs changes that a caller or the operator makes to an agent, in the agent's own log. */
import { newId } from '../lib/data/typeid.js';
import { currentDate } from '../lib/time/clock.js';
import type { Transaction } from '../postgres/database.js';
import { insertLogEntries, type NewLogEntry } from '../logs/entries.js';

type AgentChange = Omit<NewLogEntry, 'id' | 'at' | 'level'> & { at?: Date };

/** Must run in the transaction of the change, so that both are committed or neither. */
export function logAgentChange(
  transaction: Transaction,
  { at = currentDate(), ...change }: AgentChange,
): Promise<void> {
  return insertLogEntries(transaction, [{ ...change, id: newId('log'), at, level: 'info' }]);
}
