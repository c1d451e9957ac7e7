/** Reads what a user's own agent answers: one JSON object, or server-sent events as this service sends them itself. */
import type { Readable } from 'node:stream';
import { z } from 'zod';
import { readEvents } from '../../lib/event-stream.js';
import { failureOfStatus, ModelFailure, type Piece } from '../model.js';

/** Four bytes for each of the characters that an answer may have. */
const maxBytes = 16_000_000;

const tokens = z.number().int().min(0).optional();
const jsonAnswer = z.object({ response: z.string(), tokens_used: tokens });
const deltaEvent = z.object({ text: z.string() });
const doneEvent = z.object({ response: z.string().optional(), tokens_used: tokens });
const errorEvent = z.object({ code: z.string().optional(), retry_after: z.number().optional() });

export async function* readJsonAnswer(body: Readable): AsyncGenerator<Piece> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of bytesOf(body)) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > maxBytes) throw tooLong();
  }
  const answer = parse(jsonAnswer, Buffer.concat(chunks).toString('utf8'));
  yield { text: answer.response };
  yield { tokensUsed: answer.tokens_used ?? 0 };
}

export async function* readStreamedAnswer(body: Readable): AsyncGenerator<Piece> {
  let hasSpoken = false;
  for await (const { event, data } of eventsOf(body)) {
    switch (event) {
      case 'delta':
        hasSpoken = true;
        yield { text: parse(deltaEvent, data).text };
        break;
      case 'done': {
        const { response = '', tokens_used = 0 } = parse(doneEvent, data);
        if (!hasSpoken) yield { text: response };
        yield { tokensUsed: tokens_used };
        return;
      }
      case 'error':
        throw reportedFailure(parse(errorEvent, data));
    }
  }
  throw new ModelFailure("the agent's answer broke off", { retryable: true });
}

function reportedFailure({ code, retry_after }: z.infer<typeof errorEvent>): ModelFailure {
  const isBusy = code === 'rate_limited' || code === 'unavailable';
  return isBusy
    ? failureOfStatus(429, retry_after === undefined ? undefined : retry_after * 1000)
    : new ModelFailure('the agent reported an error', { retryable: true });
}

async function* eventsOf(body: Readable) {
  try {
    yield* readEvents(bytesOf(body), maxBytes);
  } catch (fault) {
    throw fault instanceof RangeError ? tooLong() : fault;
  }
}

async function* bytesOf(body: Readable): AsyncGenerator<Uint8Array> {
  for await (const chunk of body) {
    if (chunk instanceof Uint8Array) yield chunk;
  }
}

function parse<Shape>(shape: z.ZodType<Shape>, text: string): Shape {
  try {
    return shape.parse(JSON.parse(text));
  } catch {
    throw new ModelFailure("the agent's answer is not valid", { retryable: true });
  }
}

function tooLong(): ModelFailure {
  return new ModelFailure("the agent's answer is too long", { retryable: false });
}
