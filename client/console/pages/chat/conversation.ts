/** The conversations of this page, by agent, user, session and environment. They are removed when the session ends. */
import { signal, type Signal } from '@preact/signals';
import {
  ConflictError,
  type AgentHosting,
  type InvocationContext,
  type InvocationRequest,
  type InvocationStream,
  type InvocationToolCall,
} from '../../../src/index.js';
import { createIdempotencyKey } from '../../../src/transport.js';
import { describeProblem, isAbort } from '../../api/problem.js';
import { session as signedIn, onSessionEnd } from '../../api/session.js';
import { production } from '../agent/environments.js';
import type { Answer } from './approval.js';
import type { Approval, Exchange, SentRequest } from './exchange.js';
import {
  clearStoredConversations,
  readStoredConversations,
  storeConversations,
} from './stored-conversations.js';

export interface ConversationKey {
  agent: string;
  user: string;
  session: string;
  environment: string;
}

/** How long the service may take to cancel a run, and then to end its stream. */
const cancelTimeoutMs = 10_000;
const outcomeTimeoutMs = 5_000;

export type Conversation = Signal<Exchange[]>;

type ConversationName = [agent: string, session: string, user: string, environment?: string];

const conversations = new Map<string, Conversation>(
  readStoredConversations().map(([key, exchanges]) => [key, signal(exchanges)]),
);

onSessionEnd(() => {
  const exchanges = [...conversations.values()].flatMap(({ value }) => value);
  for (const { state, stop } of exchanges) if (state === 'running') stop();
  conversations.clear();
  clearStoredConversations();
});

const storeAll = () => {
  storeConversations([...conversations].map(([key, { value }]) => [key, value]));
};

export function conversationOf({
  agent,
  user,
  session,
  environment,
}: ConversationKey): Conversation {
  // Keys of production are as they were before there were environments: the tab may have stored some.
  const elsewhere = environment === production ? [] : [environment];
  const key = JSON.stringify([agent, session, user, ...elsewhere]);
  const known = conversations.get(key) ?? signal<Exchange[]>([]);
  conversations.set(key, known);
  return known;
}

/** The sessions with this agent that have messages on this page. */
export function knownSessions({
  agent,
  environment,
}: Pick<ConversationKey, 'agent' | 'environment'>): string[] {
  const sessions = [...conversations.entries()].flatMap(([key, { value }]) => {
    const [name, session, , where = production] = JSON.parse(key) as ConversationName;
    return value.length > 0 && name === agent && where === environment ? [session] : [];
  });
  return [...new Set(sessions)];
}

export function newSessionId(): string {
  return `console-${randomText()}`;
}

function randomText(): string {
  const random = crypto.getRandomValues(new Uint32Array(2));
  return Array.from(random, (number) => number.toString(36)).join('');
}

/** Shows the reply as it arrives. Never rejects. */
export async function sendMessage(key: ConversationKey, message: string): Promise<void> {
  const client = signedIn.peek()?.client;
  if (!client) return;
  const request = { message, ...placeOf(key) };
  const run = startRun({ client, agent: key.agent, sent: newRequest(request) });
  await showReply(conversationOf(key), run);
}

/**
 * A conversation of one message that is not kept, and that nobody goes on with: the service stops the run as soon as this page is
 * gone, and closes it if it waits for approval.
 */
export function askApart(agent: string, request: InvocationRequest): Conversation {
  const conversation = signal<Exchange[]>([]);
  const client = signedIn.peek()?.client;
  if (!client) return conversation;
  const sent = newRequest(request);
  const run = startRun({ client, agent, sent, headers: { prefer: 'grace=0' } });
  const update = (id: string, approval: Approval) => {
    changeExchange(conversation, id, { approval });
  };
  void showReply(conversation, run).then(async () => {
    for (const { id, approval } of conversation.peek()) {
      if (!approval) continue;
      update(id, { ...approval, state: 'sending' });
      update(id, { ...approval, ...(await closeApproval(client, agent, sent)) });
    }
  });
  return conversation;
}

async function closeApproval(
  client: AgentHosting,
  agent: string,
  { request, idempotencyKey }: SentRequest,
): Promise<Pick<Approval, 'state' | 'problem'>> {
  try {
    const closed = await client.agents.cancel(agent, request, { idempotencyKey });
    // What no longer waits is answered with its result.
    return { state: 'status' in closed ? 'decided' : 'closed', problem: undefined };
  } catch (error) {
    return { state: 'open', problem: describeProblem(error) };
  }
}

/** Once the decisions are accepted, shows the reply that they continue. Never rejects. */
export async function sendDecisions(
  key: ConversationKey,
  { id, requestId, approval }: Exchange,
  { decisions, message }: Answer,
): Promise<void> {
  const client = signedIn.peek()?.client;
  if (!client || !approval || approval.state !== 'open' || requestId === undefined) return;
  const request = { message, ...placeOf(key), resume: { request_id: requestId, decisions } };
  // If the response to the same decisions was lost, the same key continues what they began.
  const isRepeat = JSON.stringify(approval.sent?.request) === JSON.stringify(request);
  const sent = isRepeat && approval.sent ? approval.sent : newRequest(request);
  const conversation = conversationOf(key);
  const update = (change: Partial<Approval>) => {
    changeExchange(conversation, id, {
      approval: { ...approval, problem: undefined, sent, ...change },
    });
  };
  update({ state: 'sending' });
  const run = startRun({ client, agent: key.agent, sent });
  try {
    await run.stream.withResponse();
  } catch (error) {
    // With Retry-After, the first request with this key is still running.
    const isClosed = error instanceof ConflictError && error.retryAfter === undefined;
    update({ state: isClosed ? 'closed' : 'open', problem: describeProblem(error) });
    storeAll();
    return;
  }
  update({ state: 'decided' });
  await showReply(conversation, run);
}

/** For calls that were closed for a reason that is over, such as a stopped agent. */
export function reopenApproval(key: ConversationKey, { id, approval }: Exchange): void {
  if (!approval) return;
  changeExchange(conversationOf(key), id, {
    approval: { ...approval, state: 'open', problem: undefined },
  });
  storeAll();
}

function newRequest(request: InvocationRequest): SentRequest {
  return { request, idempotencyKey: createIdempotencyKey() };
}

function changeExchange(conversation: Conversation, id: string, change: Partial<Exchange>): void {
  conversation.value = conversation
    .peek()
    .map((exchange) => (exchange.id === id ? { ...exchange, ...change } : exchange));
}

interface Run {
  sent: SentRequest;
  stream: InvocationStream;
  stop: () => void;
  /** Whether the service has confirmed that it was cancelled. */
  isCancelled: () => Promise<boolean>;
}

interface RunOptions {
  client: AgentHosting;
  agent: string;
  sent: SentRequest;
  headers?: Record<string, string>;
}

function startRun({ client, agent, sent, headers = {} }: RunOptions): Run {
  const { request, idempotencyKey } = sent;
  const aborter = new AbortController();
  const abort = () => {
    aborter.abort();
  };
  let cancelled: Promise<boolean> | undefined;
  const cancel = async () => {
    try {
      const { response } = await client.agents
        .invoke(agent, request, {
          ...{ idempotencyKey, maxRetries: 0, timeout: cancelTimeoutMs },
          headers: { prefer: 'cancel' },
        })
        .withResponse();
      setTimeout(abort, outcomeTimeoutMs);
      // A run that had already ended gives its result instead.
      return response.status === 202;
    } catch {
      // The service also stops a run whose client leaves.
      abort();
      return false;
    }
  };
  const { signal } = aborter;
  return {
    sent,
    stream: client.agents.invoke(agent, request, { stream: true, signal, idempotencyKey, headers }),
    stop: () => {
      cancelled ??= cancel();
    },
    isCancelled: () => cancelled ?? Promise.resolve(false),
  };
}

async function showReply(conversation: Conversation, run: Run): Promise<void> {
  const { sent, stream } = run;
  const id = randomText();
  const start = Date.now();
  const update = (change: Partial<Exchange>) => {
    changeExchange(conversation, id, change);
  };
  conversation.value = [
    ...conversation.peek(),
    {
      id,
      request: sent.request,
      reply: '',
      state: 'running',
      isStopping: false,
      toolCalls: [],
      approval: undefined,
      requestId: undefined,
      tokens: undefined,
      usage: undefined,
      finishReason: undefined,
      durationMs: undefined,
      problem: undefined,
      stop: () => {
        update({ isStopping: true });
        run.stop();
      },
    },
  ];
  storeAll();
  const reply = createReplyBuffer(update);
  try {
    const { requestId } = await stream.withResponse();
    update({ requestId: requestId ?? undefined });
    for await (const { event, data } of stream.events()) {
      if (event === 'delta') reply.addText(data.text);
      if (event === 'tool') reply.addToolCall(data);
    }
    const result = await stream.result();
    const calls = result.status === 'requires_approval' ? result.approvals : [];
    const isWaiting = calls.length > 0;
    const isClosed = isWaiting && (await run.isCancelled());
    reply.end();
    update({
      reply: result.response,
      state: isClosed ? 'stopped' : 'done',
      requestId: result.request_id,
      tokens: result.tokens_used,
      usage: result.usage,
      finishReason: result.finish_reason,
      durationMs: result.duration_ms,
      ...(isWaiting &&
        !isClosed && { approval: { calls, state: 'open', sent: undefined, problem: undefined } }),
    });
  } catch (error) {
    reply.end();
    const durationMs = Date.now() - start;
    if (isAbort(error) || (await run.isCancelled())) update({ state: 'stopped', durationMs });
    else {
      const problem = describeProblem(error, { hasEffects: reply.hasToolCalls() });
      update({ state: 'failed', durationMs, problem });
      if (problem.requestId !== undefined) update({ requestId: problem.requestId });
    }
  } finally {
    storeAll();
  }
}

/** Whose message it is, in which session, and where the agent runs. */
function placeOf({
  user,
  session,
  environment,
}: ConversationKey): Pick<InvocationRequest, 'context' | 'environment'> {
  const context: InvocationContext = {
    ...(user !== '' && { user_id: user }),
    ...(session !== '' && { session_id: session }),
  };
  return {
    ...(Object.keys(context).length > 0 && { context }),
    ...(environment !== production && { environment }),
  };
}

/** Updates the page once per frame, since pieces may arrive more often. */
function createReplyBuffer(update: (change: Partial<Exchange>) => void) {
  let reply = '';
  let frame: number | undefined;
  const toolCalls = new Map<string, InvocationToolCall>();
  const show = () => {
    frame = undefined;
    update({ reply, toolCalls: [...toolCalls.values()] });
  };
  const showSoon = () => {
    frame ??= requestAnimationFrame(show);
  };
  return {
    addText: (text: string) => {
      reply += text;
      showSoon();
    },
    addToolCall: (call: InvocationToolCall) => {
      toolCalls.set(call.call_id, call);
      showSoon();
    },
    hasToolCalls: () => toolCalls.size > 0,
    end: () => {
      if (frame !== undefined) cancelAnimationFrame(frame);
      show();
    },
  };
}
