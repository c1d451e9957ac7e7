/** Talks to a model as an invocation would, and keeps what came of it. */
import { converse, type Retry } from '../../server/runtime/converse.js';
import { ModelFailure, type Prompt, type ReceivedMeter } from '../../server/runtime/model.js';
import { createModels, type Models } from '../../server/runtime/models.js';

/** Has room for everything. */
export const noMeter: ReceivedMeter = { announce: () => undefined, receive: () => undefined };

export const prompt: Prompt = {
  instructions: 'Be brief.',
  temperature: 0.3,
  history: [
    { role: 'user', content: 'Hi' },
    { role: 'agent', content: 'Hello!' },
  ],
  message: 'Where is my order?',
  context: { user_id: 'user-1', plan: 'gold' },
  agent: { id: 'agent_1', name: 'support-bot' },
  requestId: 'req_1',
};

/** All providers, at that address. */
export function modelsAt(url: string): Models {
  const baseUrl = `${url}/v1`;
  return createModels({
    openai: { apiKey: 'key-of-openai', baseUrl },
    anthropic: { apiKey: 'key-of-anthropic', baseUrl },
    local: { apiKey: 'key-of-local', baseUrl },
    allowPrivateTargets: true,
  });
}

export interface Conversation {
  text: string;
  /** Also of a conversation that fails, as far as it is known. */
  tokens: number | undefined;
  retries: Retry[];
  failure: ModelFailure | undefined;
  fault: unknown;
}

export interface TalkOptions {
  signal?: AbortSignal;
  deadline?: number;
  prompt?: Partial<Prompt>;
  onText?: (text: string) => void;
}

export async function talk(
  url: string,
  model: string,
  options: TalkOptions = {},
): Promise<Conversation> {
  const { signal = new AbortController().signal, deadline = Date.now() + 30_000 } = options;
  const said: Conversation = {
    text: '',
    tokens: undefined,
    retries: [],
    failure: undefined,
    fault: undefined,
  };
  const models = modelsAt(url);
  const endpoint = { url: `${url}/agent` };
  try {
    said.tokens = await converse(
      () => models.open({ model, endpoint }),
      { ...prompt, ...options.prompt },
      {
        signal,
        deadline,
        meter: noMeter,
        initialDelayMs: 5,
        onText: (text) => {
          said.text += text;
          options.onText?.(text);
        },
        onTokens: (tokens) => {
          said.tokens = tokens;
        },
        onRetry: (retry) => said.retries.push(retry),
      },
    );
  } catch (fault) {
    said.fault = fault;
    said.failure = fault instanceof ModelFailure ? fault : undefined;
  }
  return said;
}
