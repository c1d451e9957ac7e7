/** Asks for a decision on each tool call of a reply that waits, and shows the decisions afterwards. */
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import type { ApprovalDecision, PendingApproval } from '../../../src/index.js';
import { may, missingPermission } from '../../api/permissions.js';
import { Badge } from '../../components/badge.js';
import { Button } from '../../components/button.js';
import { Field } from '../../components/field.js';
import { Icon } from '../../components/icon.js';
import { ProblemPanel } from '../../components/problem-panel.js';
import { Text } from '../../components/text.js';
import { Time } from '../../components/time.js';
import { plural } from '../../lib/numbers.js';
import { localTime } from '../../lib/time.js';
import {
  decisionsOf,
  defaultMessage,
  formatArguments,
  neededPermission,
  type Answer,
  type Choice,
  type Choices,
} from './approval.js';
import type { Approval } from './exchange.js';

interface ApprovalFormProps {
  approval: Approval;
  /** Moves the focus to the first call. */
  takesFocus: boolean;
  /** Another reply is running. */
  isBlocked: boolean;
  onDecide: (answer: Answer) => void;
  onReopen: () => void;
}

/** Not a form element: in a form, Enter in any field would send the decisions. */
export function ApprovalForm({ approval, takesFocus, ...props }: ApprovalFormProps) {
  const { calls, state, sent, problem } = approval;
  const [choices, setChoices] = useState<Choices>({});
  const [message, setMessage] = useState('');
  const titleId = useId();
  const element = useRef<HTMLDivElement>(null);
  const previous = useRef<Approval['state'] | undefined>(undefined);
  // The button that had the focus may be gone.
  useEffect(() => {
    const from = previous.current;
    previous.current = state;
    const group = element.current;
    const isNew = from === undefined && takesFocus && !isWriting();
    if (isNew || from === 'closed') group?.querySelector('fieldset')?.focus();
    if (from !== 'sending') return;
    if (state !== 'open') group?.focus({ preventScroll: true });
    group?.querySelector('.problem')?.scrollIntoView({ block: 'nearest' });
  }, [state]);
  const made = decisionsOf(calls, choices);
  const isOpen = isUndecided(state);
  return (
    <div class="approvals" role="group" aria-labelledby={titleId} tabIndex={-1} ref={element}>
      <p class="approvals-title">
        <Icon name={isOpen ? 'warning' : 'lock'} />
        <span id={titleId}>{describe(approval)}</span>
      </p>
      {calls.map((call) => (
        <CallCard
          key={call.call_id}
          call={call}
          state={state}
          choice={choices[call.call_id] ?? {}}
          decided={sent?.request.resume?.decisions.find(({ call_id }) => call_id === call.call_id)}
          onChange={(choice) => {
            setChoices({ ...choices, [call.call_id]: choice });
          }}
        />
      ))}
      {isOpen && (
        <Field label="Message (optional)" hint="The agent reads it after the results of the calls">
          {(attributes) => (
            <textarea
              {...attributes}
              class="input"
              rows={1}
              maxLength={100_000}
              placeholder={defaultMessage(made ?? [])}
              value={message}
              onInput={({ currentTarget }) => {
                setMessage(currentTarget.value);
              }}
            />
          )}
        </Field>
      )}
      <ProblemPanel problem={problem} {...(state === 'closed' && { onRetry: props.onReopen })} />
      {isOpen && (
        <div class="actions">
          <Button
            kind="primary"
            needs={neededPermission(calls)}
            isBusy={state === 'sending'}
            isDisabled={!made || props.isBlocked}
            onClick={() => {
              if (!made) return;
              props.onDecide({ decisions: made, message: message.trim() || defaultMessage(made) });
            }}
          >
            {calls.length === 1 ? 'Send the decision' : `Send ${calls.length} decisions`}
          </Button>
          <span class="muted" role="status">
            {props.isBlocked ? 'Wait until the running reply has ended.' : summaryOf(made)}
          </span>
        </div>
      )}
    </div>
  );
}

function isUndecided(state: Approval['state']): boolean {
  return state === 'open' || state === 'sending';
}

/** A message that is being written keeps the focus. */
function isWriting(): boolean {
  const { activeElement } = document;
  const isField =
    activeElement instanceof HTMLTextAreaElement || activeElement instanceof HTMLInputElement;
  return isField && activeElement.value !== '';
}

function describe({ state, calls }: Approval): string {
  if (state === 'decided') return 'You decided:';
  if (state === 'closed') return 'These calls can no longer be decided here.';
  return calls.length === 1
    ? 'The agent waits for your decision. The call is made only if you approve it.'
    : 'The agent waits for your decisions. A call is made only if you approve it.';
}

function summaryOf(decisions: ApprovalDecision[] | undefined): string {
  if (!decisions) return 'Approve or reject each call first.';
  const approved = decisions.filter(({ decision }) => decision === 'approve').length;
  return approved === 0 ? 'No call will be made.' : `${plural(approved, 'call')} will be made.`;
}

interface CallCardProps {
  call: PendingApproval;
  state: Approval['state'];
  choice: Choice;
  decided: ApprovalDecision | undefined;
  onChange: (choice: Choice) => void;
}

function CallCard({ call, state, choice, decided, onChange }: CallCardProps) {
  const id = useId();
  const isOpen = isUndecided(state);
  const { call_id, tool, approver, expires_at } = call;
  const select = (decision: ApprovalDecision['decision'], label: string) => (
    <label class="check">
      <input
        type="radio"
        name={id}
        checked={choice.decision === decision}
        onChange={() => {
          onChange({ ...choice, decision });
        }}
      />
      {label}
    </label>
  );
  return (
    <fieldset
      class="approval"
      tabIndex={-1}
      aria-describedby={isOpen ? `${id}-terms` : undefined}
      disabled={state === 'sending'}
    >
      <legend>
        <Icon name="tool" />
        <Text>{tool}</Text>
        <span class="muted">{call_id}</span>
      </legend>
      <pre class="code-block" role="region" tabIndex={0} aria-label={`Arguments of ${call_id}`}>
        {formatArguments(call.arguments)}
      </pre>
      {isOpen && (
        <>
          <p class="hint" id={`${id}-terms`}>
            {describeApprover(approver)} Until {localTime(Date.parse(expires_at))} (
            <Time at={expires_at} mayBeFuture />
            ).
          </p>
          <div class="choices">
            {select('approve', 'Approve')}
            {select('reject', 'Reject')}
          </div>
          {choice.decision === 'reject' && (
            <Field label="Reason (optional)" hint="The agent gets it as the result of the call">
              {(attributes) => (
                <textarea
                  {...attributes}
                  class="input"
                  rows={1}
                  maxLength={2_000}
                  value={choice.note ?? ''}
                  onInput={({ currentTarget }) => {
                    onChange({ ...choice, note: currentTarget.value });
                  }}
                />
              )}
            </Field>
          )}
        </>
      )}
      {state === 'decided' && decided && (
        <p class="decision">
          <Badge state={decided.decision === 'approve' ? 'approved' : 'rejected'} />
          {decided.note !== undefined && <Text max={2_000}>{decided.note}</Text>}
        </p>
      )}
    </fieldset>
  );
}

function describeApprover(approver: PendingApproval['approver']): string {
  if (approver === 'caller') {
    return 'Whoever may invoke this agent for this user and session may decide.';
  }
  const needed = `Deciding needs the permission '${approver}'.`;
  return may(approver) ? needed : `${needed} ${missingPermission(approver)}`;
}
