/** The conversations of this page, by agent, user and session. They are removed when the session ends. */
import { signal, type Signal } from '@preact/signals';
import type { InvocationContext, InvocationToolCall } from '../../../src/index.js';
import { describeProblem, isAbort } from '../../api/problem.js';
import { session as signedIn, onSessionEnd } from '../../api/session.js';
import type { Exchange } from './exchange.js';
import {
  clearStoredConversations,
  readStoredConversations,
  storeConversations,
} from './stored-conversations.js';

export interface ConversationKey {
  agent: string;
  user: string;
  session: string;
}

const conversations = new Map<string, Signal<Exchange[]>>(
  readStoredConversations().map(([key, exchanges]) => [key, signal(exchanges)]),
);

onSessionEnd(() => {
  const exchanges = [...conversations.values()].flatMap(({ value }) => value);
  for (const { stop } of exchanges) stop();
  conversations.clear();
  clearStoredConversations();
});

const storeAll = () => {
  storeConversations([...conversations].map(([key, { value }]) => [key, value]));
};

export function conversationOf({ agent, user, session }: ConversationKey): Signal<Exchange[]> {
  const key = JSON.stringify([agent, session, user]);
  const known = conversations.get(key) ?? signal<Exchange[]>([]);
  conversations.set(key, known);
  return known;
}

/** The sessions with this agent that have messages on this page. */
export function knownSessions(agent: string): string[] {
  const keys = [...conversations.entries()].flatMap(([key, { value }]) =>
    value.length > 0 ? [JSON.parse(key) as [string, string, string]] : [],
  );
  return [...new Set(keys.flatMap(([name, session]) => (name === agent ? session : [])))];
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
  const aborter = new AbortController();
  const conversation = conversationOf(key);
  const id = randomText();
  const request = { message, ...contextOf(key) };
  const start = Date.now();
  const update = (change: Partial<Exchange>) => {
    conversation.value = conversation
      .peek()
      .map((exchange) => (exchange.id === id ? { ...exchange, ...change } : exchange));
  };
  conversation.value = [
    ...conversation.peek(),
    {
      id,
      request,
      reply: '',
      state: 'running',
      toolCalls: [],
      requestId: undefined,
      tokens: undefined,
      usage: undefined,
      finishReason: undefined,
      durationMs: undefined,
      problem: undefined,
      stop: () => {
        aborter.abort();
      },
    },
  ];
  storeAll();
  const reply = createReplyBuffer(update);
  try {
    const stream = client.agents.invoke(key.agent, request, {
      stream: true,
      signal: aborter.signal,
    });
    const { requestId } = await stream.withResponse();
    update({ requestId: requestId ?? undefined });
    for await (const { event, data } of stream.events()) {
      if (event === 'delta') reply.addText(data.text);
      if (event === 'tool') reply.addToolCall(data);
    }
    const result = await stream.result();
    reply.end();
    update({
      reply: result.response,
      state: 'done',
      requestId: result.request_id,
      tokens: result.tokens_used,
      usage: result.usage,
      finishReason: result.finish_reason,
      durationMs: result.duration_ms,
    });
  } catch (error) {
    reply.end();
    const durationMs = Date.now() - start;
    if (isAbort(error)) update({ state: 'stopped', durationMs });
    else {
      const problem = describeProblem(error, { hasEffects: reply.hasToolCalls() });
      update({ state: 'failed', durationMs, problem });
      if (problem.requestId !== undefined) update({ requestId: problem.requestId });
    }
  } finally {
    storeAll();
  }
}

function contextOf({ user, session }: ConversationKey): { context?: InvocationContext } {
  const context: InvocationContext = {
    ...(user !== '' && { user_id: user }),
    ...(session !== '' && { session_id: session }),
  };
  return Object.keys(context).length > 0 ? { context } : {};
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
