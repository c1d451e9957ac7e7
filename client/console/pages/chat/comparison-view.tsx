/** One message, asked of two environments: both answers side by side. Neither becomes part of a conversation. */
import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { onSessionEnd } from '../../api/session.js';
import { Badge } from '../../components/badge.js';
import { Icon } from '../../components/icon.js';
import { ProblemPanel } from '../../components/problem-panel.js';
import { Empty } from '../../components/states.js';
import { Prose, Text } from '../../components/text.js';
import { address, linkTo } from '../../lib/router.js';
import { formatArguments } from './approval.js';
import { pairOf, requestOf, statusOf, summaryOf } from './comparison.js';
import { ComparisonForm } from './comparison-form.js';
import { Composer } from './composer.js';
import { askApart, type Conversation } from './conversation.js';
import { Facts, Reply } from './exchange-view.js';
import type { Approval, Exchange } from './exchange.js';

/** The last comparison, so that it is still there after a look at a log. A reload forgets it. */
const asked = signal<{ agent: string; conversations: Conversation[] } | undefined>(undefined);

onSessionEnd(() => {
  asked.value = undefined;
});

const none: Conversation[] = [];

export function ComparisonView({ agent }: { agent: string }) {
  const { query } = address.value;
  const pair = pairOf(query);
  const user = query.get('user') ?? '';
  const conversations = asked.value?.agent === agent ? asked.value.conversations : none;
  // Who leaves the page waits for no answer.
  useEffect(
    () => () => {
      stopAll(conversations);
    },
    [conversations],
  );
  const answers = conversations.flatMap(({ value }) => value);
  const running = answers.filter(({ state }) => state === 'running');
  return (
    <div class="chat-main">
      <ComparisonForm agent={agent} user={user} pair={pair} />
      <div class="conversation" role="region" aria-label="Comparison" tabIndex={0}>
        {answers[0] ? (
          <div class="exchange">
            <div class="message user">
              <h2 class="hidden">You</h2>
              <Prose>{answers[0].request.message}</Prose>
            </div>
            <div class="answers">
              {answers.map((answer) => (
                <AnswerView key={answer.id} agent={agent} answer={answer} />
              ))}
            </div>
          </div>
        ) : (
          <Empty title={`Send one message to ${pair.join(' and ')}`}>
            The answers appear side by side. They belong to no session, and the agent does not
            remember them. Its tools act for real.
          </Empty>
        )}
        <p class="hidden" role="status">
          {summaryOf(answers)}
        </p>
      </div>
      <Composer
        agent={agent}
        isRunning={running.length > 0}
        isStopping={running.length > 0 && running.every(({ isStopping }) => isStopping)}
        onStop={() => {
          stopAll(conversations);
        }}
        onSend={(message) => {
          const requests = pair.map((environment) => requestOf({ message, environment, user }));
          asked.value = {
            agent,
            conversations: requests.map((request) => askApart(agent, request)),
          };
        }}
      />
    </div>
  );
}

function stopAll(conversations: readonly Conversation[]): void {
  for (const { state, stop } of conversations.flatMap((conversation) => conversation.peek())) {
    if (state === 'running') stop();
  }
}

function AnswerView({ agent, answer }: { agent: string; answer: Exchange }) {
  const { request, state, approval, finishReason, requestId } = answer;
  const { environment = '' } = request;
  return (
    <section class="answer" aria-label={environment} aria-busy={state === 'running'}>
      <div class="answer-title">
        <h2>
          <Text>{environment}</Text>
        </h2>
        <Badge state={statusOf(answer)} />
      </div>
      <div class="message agent">
        <Reply exchange={answer} />
        {approval && <WaitingCalls approval={approval} />}
      </div>
      <footer class="exchange-footer">
        <Facts exchange={answer} />
        {finishReason !== undefined && (
          <span class="muted facts">finish reason: {finishReason.replaceAll('_', ' ')}</span>
        )}
        {requestId !== undefined && state !== 'running' && (
          <a href={linkTo(['agents', agent, 'logs'], { request: requestId })}>Log</a>
        )}
      </footer>
    </section>
  );
}

/** A comparison asks for no decision: it closes what waits for one. */
function WaitingCalls({ approval: { calls, state, problem } }: { approval: Approval }) {
  return (
    <div class="approvals">
      <p class="approvals-title">
        <Icon name="warning" />
        <span role="status">{closings[state]}</span>
      </p>
      {calls.map((call) => (
        <div class="approval" key={call.call_id}>
          <h3>
            <Text>{call.tool}</Text>
          </h3>
          <pre class="code-block">{formatArguments(call.arguments)}</pre>
        </div>
      ))}
      <ProblemPanel problem={problem} />
    </div>
  );
}

const closings: Record<Approval['state'], string> = {
  sending: 'The agent asks for approval. Its run is being closed …',
  closed: 'The agent asked for approval. Its run is closed, so nobody can give it.',
  open: 'The agent asks for approval, and its run could not be closed: somebody may still give it.',
  decided: 'The agent asked for approval, and somebody decided before its run was closed.',
};
