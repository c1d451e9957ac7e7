/** A message and its reply, with tool calls, duration, and code to repeat the request. */
import { useRef } from 'preact/hooks';
import { describeEarlyEnd } from '../../../src/finish-reason.js';
import { Button } from '../../components/button.js';
import { CopyButton } from '../../components/copy-button.js';
import { Icon } from '../../components/icon.js';
import { LongText } from '../../components/long-text.js';
import { ProblemPanel } from '../../components/problem-panel.js';
import { Prose, Text } from '../../components/text.js';
import { formatDuration } from '../../lib/time.js';
import { formatInteger, plural } from '../../lib/numbers.js';
import type { Answer } from './approval.js';
import { ApprovalForm } from './approval-form.js';
import { asCurl, asSdk } from './code-samples.js';
import type { Exchange } from './exchange.js';

interface ExchangeViewProps {
  agent: string;
  exchange: Exchange;
  isSelected: boolean;
  onSelect: () => void;
  /** Another reply is running. */
  isBlocked: boolean;
  onDecide: (answer: Answer) => void;
  onReopen: () => void;
}

export function ExchangeView(props: ExchangeViewProps) {
  const { agent, exchange, isSelected, onSelect } = props;
  const { request, state, approval, requestId } = exchange;
  // A conversation that is opened again does not take the focus.
  const hasRunHere = useRef(false);
  hasRunHere.current ||= state === 'running';
  return (
    <article class="exchange" aria-busy={state === 'running'}>
      <div class="message user">
        <h2 class="hidden">You</h2>
        <Prose>{request.message}</Prose>
      </div>
      <div class="message agent">
        <h2 class="hidden">{agent}</h2>
        <Reply exchange={exchange} />
        {approval && (
          <ApprovalForm
            approval={approval}
            takesFocus={hasRunHere.current}
            isBlocked={props.isBlocked}
            onDecide={props.onDecide}
            onReopen={props.onReopen}
          />
        )}
      </div>
      <footer class="exchange-footer">
        <Facts exchange={exchange} />
        <div class="actions">
          <CopyButton text={() => asCurl(agent, request)} label="Copy as curl" />
          <CopyButton text={() => asSdk(agent, request)} label="Copy as SDK" />
          {requestId !== undefined && (
            <Button kind="quiet" isPressed={isSelected} onClick={onSelect}>
              Log
            </Button>
          )}
        </div>
      </footer>
    </article>
  );
}

/** What the agent did and said, or why it did not. */
export function Reply({ exchange }: { exchange: Exchange }) {
  const { reply, state, toolCalls, problem, requestId } = exchange;
  const earlyEnd = describeEarlyEnd(exchange.finishReason);
  return (
    <>
      {toolCalls.length > 0 && (
        <ul class="tool-calls" aria-label="Tools that the agent used">
          {toolCalls.map(({ call_id, name, status, duration_ms }) => (
            <li key={call_id} class={status}>
              <Icon name="tool" />
              <Text>{name}</Text>
              <span class="muted">
                {status === 'started' ? 'running …' : status}
                {duration_ms !== undefined && `, ${formatDuration(duration_ms)}`}
              </span>
            </li>
          ))}
        </ul>
      )}
      {reply !== '' && <LongText text={reply} fileName={`${requestId ?? 'reply'}.txt`} />}
      {state === 'running' && reply === '' && <Thinking />}
      {earlyEnd !== undefined && (
        <p class="early-end">
          <Icon name="warning" />
          <span>{earlyEnd}</span>
        </p>
      )}
      {state === 'stopped' && <p class="muted">You stopped the reply.</p>}
      <ProblemPanel problem={problem} />
    </>
  );
}

export function Facts({ exchange: { tokens, usage, durationMs } }: { exchange: Exchange }) {
  const { input_tokens, output_tokens } = usage ?? {};
  const isSplit = input_tokens !== undefined && output_tokens !== undefined;
  const parts = isSplit
    ? ` (${formatInteger(input_tokens)} in, ${formatInteger(output_tokens)} out)`
    : '';
  const facts = [
    tokens === undefined ? undefined : `${plural(tokens, 'token')}${parts}`,
    durationMs === undefined ? undefined : formatDuration(durationMs),
  ];
  return <span class="muted facts">{facts.filter(Boolean).join(' · ')}</span>;
}

function Thinking() {
  return (
    <div class="thinking" role="status">
      <span class="hidden">The agent is thinking</span>
    </div>
  );
}
