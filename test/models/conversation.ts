/** Calls a model as an invocation does, and records the outcome. */
import type { Fallback, Retry } from '../../server/models/call-model.js';
import { type ConversationOptions, converse, type NextCall } from '../../server/models/converse.js';
import {
  ModelFailure,
  type Prompt,
  type CountReceived,
  type Step,
  type TokenUsage,
} from '../../server/models/model.js';
import type { LeftOut } from '../../server/models/shorten-prompt.js';
import type { FinishReason } from '../../generated/api.js';
import { createModels, type Models } from '../../server/models/models.js';

/** Accepts any number of bytes. */
export const countNothing: CountReceived = () => undefined;

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

/** All providers, at this address. */
export function modelsAt(url: string): Models {
  const baseUrl = `${url}/v1`;
  return createModels({
    openai: { apiKey: 'key-of-openai', baseUrl },
    anthropic: { apiKey: 'key-of-anthropic', baseUrl },
    local: { apiKey: 'key-of-local', baseUrl },
    allowPrivateTargets: true,
    firstPauseMs: 5,
  });
}

export interface Conversation {
  text: string;
  /** Also set for a failed conversation, as far as known. */
  tokens: number | undefined;
  retries: Retry[];
  fallbacks: Fallback[];
  nextCalls: NextCall[];
  finishReason: FinishReason | undefined;
  usage: TokenUsage | undefined;
  steps: readonly Step[];
  /** The estimates for answers whose models report no usage. */
  unreported: number[];
  changed: string[];
  leftOut: LeftOut | undefined;
  withheldCalls: number;
  stepLimit: number | undefined;
  /** The model that answered. */
  model: string | undefined;
  failure: ModelFailure | undefined;
  fault: unknown;
}

export interface TalkOptions {
  signal?: AbortSignal;
  deadline?: number;
  isPatient?: boolean;
  prompt?: Partial<Prompt>;
  fallbacks?: string[];
  toolbox?: ConversationOptions['toolbox'];
  outputSchema?: ConversationOptions['outputSchema'];
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
    fallbacks: [],
    nextCalls: [],
    finishReason: undefined,
    usage: undefined,
    steps: [],
    unreported: [],
    changed: [],
    leftOut: undefined,
    withheldCalls: 0,
    stepLimit: undefined,
    model: undefined,
    failure: undefined,
    fault: undefined,
  };
  const models = modelsAt(url);
  const endpoint = { url: `${url}/agent` };
  try {
    const candidate = (name: string) => ({
      name,
      open: () => models.open({ model: name, endpoint }),
      limiter: models.limiterOf(name),
    });
    const answered = await converse(
      [candidate(model), ...(options.fallbacks ?? []).map(candidate)],
      { ...prompt, ...options.prompt },
      {
        queueKey: 'one',
        signal,
        deadline,
        isPatient: options.isPatient ?? false,
        countReceived: countNothing,
        initialDelayMs: 5,
        onText: (text) => {
          said.text += text;
          options.onText?.(text);
        },
        onTokens: (tokens) => {
          said.tokens = tokens;
        },
        onRetry: (retry) => said.retries.push(retry),
        onFallback: (fallback) => said.fallbacks.push(fallback),
        onNextCall: (next) => said.nextCalls.push(next),
        onUnreportedTokens: (estimate) => said.unreported.push(estimate),
        onSettingChanged: ({ changed }) => said.changed.push(changed),
        onLeftOut: (leftOut) => {
          said.leftOut = leftOut;
        },
        onCallsWithheld: ({ calls }) => {
          said.withheldCalls += calls;
        },
        onStepLimit: (maxSteps) => {
          said.stepLimit = maxSteps;
        },
        toolbox: options.toolbox,
        outputSchema: options.outputSchema,
      },
    );
    const { tokensUsed, model: answeredBy, finishReason, usage, steps } = answered;
    Object.assign(said, { tokens: tokensUsed, model: answeredBy, finishReason, usage, steps });
  } catch (fault) {
    said.fault = fault;
    said.failure = fault instanceof ModelFailure ? fault : undefined;
  }
  return said;
}
