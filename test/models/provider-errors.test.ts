/** Errors of providers, as responses and in the middle of a response: what they are about, and what the log says. */
import { describe, expect, test } from '@jest/globals';
import { failureInStream } from '../../server/models/providers/failure.js';
import { talk } from './conversation.js';
import { refusal } from '../helpers/model-provider/failures.js';
import type { Behaviour } from '../helpers/model-provider/received.js';
import { useModelProvider } from '../helpers/model-provider/use-model-provider.js';
import {
  anthropicMessages,
  chatCompletions,
  openaiResponses,
} from '../helpers/model-provider/wire-formats.js';

const provider = useModelProvider();

const event = (data: object) => `data: ${JSON.stringify(data)}\n\n`;

const chatError = (error: object): Behaviour => {
  return (res) => {
    chatCompletions.say(res, ['On ']);
    res.end(event({ error }));
  };
};

const messagesError = (error: object): Behaviour => {
  return (res) => {
    anthropicMessages.say(res, ['On ']);
    res.end(`event: error\n${event({ type: 'error', error })}`);
  };
};

const responsesError = (error: { message: string; code: string }): Behaviour => {
  return (res) => {
    openaiResponses.say(res, ['On ']);
    const response = { id: 'resp_1', status: 'failed', error };
    res.end(event({ type: 'response.failed', sequence_number: 9, response }));
  };
};

const responsesErrorEvent = (error: { message: string; code: string }): Behaviour => {
  return (res) => {
    openaiResponses.say(res, ['On ']);
    res.end(event({ type: 'error', sequence_number: 9, param: null, ...error }));
  };
};

describe('an error in the middle of a response keeps the words of the provider', () => {
  test.each<[string, string, Behaviour, object]>([
    [
      'chat completions, overloaded',
      'local/m',
      chatError({ message: 'The server is overloaded.', code: 503 }),
      { kind: 'overloaded', retryable: true, said: 'The server is overloaded.' },
    ],
    [
      'chat completions, rate limit',
      'local/m',
      chatError({ message: 'Slow down.', type: 'requests', code: 'rate_limit_exceeded' }),
      { rateLimited: true, retryable: true, said: 'Slow down.' },
    ],
    [
      'Messages, overloaded',
      'anthropic/m',
      messagesError({ type: 'overloaded_error', message: 'Overloaded' }),
      { kind: 'overloaded', retryable: true, said: 'Overloaded' },
    ],
    [
      'Messages, other',
      'anthropic/m',
      messagesError({ type: 'api_error', message: 'Internal server error' }),
      { kind: undefined, retryable: true, said: 'Internal server error' },
    ],
    [
      'Responses that fail',
      'openai/m',
      responsesError({ code: 'server_error', message: 'An error occurred.' }),
      { kind: undefined, retryable: true, said: 'An error occurred.' },
    ],
    [
      'Responses that fail by the rate limit',
      'openai/m',
      responsesError({ code: 'rate_limit_exceeded', message: 'Rate limit reached.' }),
      { rateLimited: true, retryable: true, said: 'Rate limit reached.' },
    ],
    [
      'Responses with an error event',
      'openai/m',
      responsesErrorEvent({ code: 'context_length_exceeded', message: 'Your input is too long.' }),
      { retryable: false, said: 'Your input is too long.' },
    ],
  ])('%s', async (_, model, behaviour, failure) => {
    provider.behave(behaviour);
    const said = await talk(provider.url, model);
    expect(said.text).toBe('On ');
    expect(said.failure).toMatchObject(failure);
    expect(provider.received).toHaveLength(1);
  });

  test('also when it is the first event', async () => {
    provider.behave((res) => {
      res.writeHead(200, { 'content-type': 'text/event-stream' });
      const error = { type: 'overloaded_error', message: 'Overloaded' };
      res.end(`event: error\n${event({ type: 'error', error })}`);
    });
    const said = await talk(provider.url, 'anthropic/m');
    expect(said.failure).toMatchObject({
      message: 'the provider is overloaded, as it reported in its response',
      said: 'Overloaded',
    });
    expect(said.retries).toHaveLength(2);
  });
});

describe('a prompt that is too long is recognised in the words of', () => {
  test.each([
    [
      'Anthropic',
      {
        type: 'invalid_request_error',
        message: 'prompt is too long: 210000 tokens > 200000 maximum',
      },
    ],
    [
      'OpenAI',
      { code: 'context_length_exceeded', message: 'Your input exceeds the limit of this model.' },
    ],
    [
      'vLLM',
      {
        message:
          "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens.",
        code: 400,
      },
    ],
    [
      'llama.cpp',
      {
        code: 400,
        message: 'the request exceeds the available context size, try increasing it',
        type: 'exceed_context_size_error',
      },
    ],
  ])('%s', (_, error) => {
    expect(failureInStream(error)).toMatchObject({ kind: 'context_length', retryable: false });
  });
});

test('a key in the words of the provider is not shown', () => {
  const failure = failureInStream({ message: 'The key abc-123 is wrong.' }, ['abc-123']);
  expect(failure?.said).toBe('The key [redacted] is wrong.');
});

test('what the connection or the library reports is not an error of the provider', () => {
  expect(failureInStream(new Error('socket hang up'))).toBeUndefined();
  expect(failureInStream(undefined)).toBeUndefined();
});

describe('a quota that is used up is neither retried nor a rate limit', () => {
  test.each<[string, string, Behaviour]>([
    [
      'OpenAI',
      'openai/m',
      refusal(429, {
        error: {
          message: 'You exceeded your current quota, please check your plan and billing details.',
          type: 'insufficient_quota',
          code: 'insufficient_quota',
        },
      }),
    ],
    [
      'Anthropic',
      'anthropic/m',
      refusal(400, {
        type: 'error',
        error: {
          type: 'invalid_request_error',
          message: 'Your credit balance is too low to access the Anthropic API.',
        },
      }),
    ],
    [
      'DeepSeek',
      'local/m',
      refusal(402, { error: { message: 'Insufficient Balance', code: 'invalid_request_error' } }),
    ],
  ])('with %s', async (_, model, behaviour) => {
    provider.behave(behaviour);
    const said = await talk(provider.url, model, { isPatient: true });
    expect(provider.received).toHaveLength(1);
    expect(said.failure).toMatchObject({ kind: 'quota', rateLimited: false, retryable: false });
    expect(said.failure?.message).toMatch(
      /^the provider answered with status 4\d\d: its quota is used up$/,
    );
    expect(said.failure?.said).toMatch(/quota|balance/i);
  });
});
