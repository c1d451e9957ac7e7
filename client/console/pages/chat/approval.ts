/** The decisions on tool calls that wait for approval. */
import type { ApprovalDecision, PendingApproval, Permission } from '../../../src/index.js';
import { escapeUnprintable } from '../../../src/printable.js';

/** What the user answers to a reply that waits. */
export interface Answer {
  decisions: ApprovalDecision[];
  message: string;
}

/** What the user has entered for a call. Kept by the page only, so that leaving it decides nothing. */
export interface Choice {
  decision?: ApprovalDecision['decision'];
  note?: string;
}

/** By call id. */
export type Choices = Readonly<Partial<Record<string, Choice>>>;

/** Undefined until each call has one, since they are decided at once. */
export function decisionsOf(
  calls: readonly PendingApproval[],
  choices: Choices,
): ApprovalDecision[] | undefined {
  const decisions = calls.flatMap(({ call_id }): ApprovalDecision[] => {
    const { decision, note = '' } = choices[call_id] ?? {};
    if (decision === undefined) return [];
    const hasNote = decision === 'reject' && note.trim() !== '';
    return [{ call_id, decision, ...(hasNote && { note: note.trim() }) }];
  });
  return decisions.length === calls.length ? decisions : undefined;
}

/** The user's next turn, if the user writes none. */
export function defaultMessage(decisions: readonly ApprovalDecision[]): string {
  const made = new Set(decisions.map(({ decision }) => decision));
  if (made.size !== 1) return 'Decided.';
  return made.has('approve') ? 'Approved.' : 'Rejected.';
}

/** The permission without which the service refuses the decisions. */
export function neededPermission(calls: readonly PendingApproval[]): Permission {
  return calls.some(({ approver }) => approver === 'manage') ? 'manage' : 'write';
}

/** The arguments as JSON with its escapes for invisible characters, so that two values that differ look different. */
export function formatArguments(values: PendingApproval['arguments']): string {
  return JSON.stringify(values, null, 2).split('\n').map(escapeUnprintable).join('\n');
}
