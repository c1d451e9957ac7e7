/** Sends requests in sequence, and checks each response against the contract and the model. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Account } from './account.js';
import { checkAnswer } from './answers.js';
import { operationOf } from './contract.js';
import type { FuzzRequest, Transport } from './http.js';
import { demand, shown } from './mismatch.js';
import { checkRefusal, fieldsOf, refusalsOf, settle } from './model/expect.js';
import type { Call, KeyRecord } from './model/state.js';
import type { Template } from './template.js';
import type { Violation } from './violations/violation.js';

/** A new request, or a repeat of an earlier one that may replace its body. */
export type Step = Template | { again: number; body?: unknown };

export interface Sent {
  request: FuzzRequest;
  caller: KeyRecord;
}

export interface Player {
  account: Account;
  send: Transport;
  /** The sent requests, in order. */
  trail: Sent[];
}

/** Sends a valid request: the model decides what the response must be. */
export async function playValid(player: Player, step: Step): Promise<void> {
  const { trail, account } = player;
  const sent = 'again' in step ? repeated(player, step) : account.resolve(step);
  if (!sent) return;
  trail.push(sent);
  const call: Call = { ...sent, state: account.state };
  const refusals = refusalsOf(call);
  const answer = await player.send(sent.request);
  checkAnswer(sent.request.operation, answer);
  settle(call, refusals, answer);
  if (answer.status === 202)
    await ended(player, sent.request, answer.headers['x-request-id'] ?? '');
}

/** In sequence, until the first mismatch. */
export async function playAll(player: Player, steps: Step[]): Promise<void> {
  for (const step of steps) await playValid(player, step);
}

/** Sends a request with one violation. */
export async function playBroken(
  player: Player,
  template: Template,
  violation: Violation,
): Promise<void> {
  const sent = player.account.resolve(template);
  player.trail.push(sent);
  const answer = await player.send(sent.request);
  const { name, pointer, status, field } = violation;
  demand(
    answer.status === status,
    pointer,
    () =>
      `${name} is broken, which should be a ${status}, but got ${answer.status}: ${answer.text.slice(0, 400)}`,
  );
  checkAnswer(sent.request.operation, answer);
  const call: Call = { ...sent, state: player.account.state };
  checkRefusal(call, [{ status }], answer);
  if (field === undefined) return;
  const fields = fieldsOf(answer);
  const isNamed =
    fields.length > 0 && fields.every((one) => one.toLowerCase() === field.toLowerCase());
  demand(
    isNamed,
    pointer,
    () =>
      `${name} is broken, so the refusal should name '${field}' alone, but names ${shown(fields)}: ${answer.text.slice(0, 400)}`,
  );
}

function repeated(
  { trail }: Player,
  { again, body }: { again: number; body?: unknown },
): Sent | undefined {
  const earlier = trail[again % trail.length];
  if (!earlier || body === undefined) return earlier;
  return { ...earlier, request: { ...earlier.request, body, payload: JSON.stringify(body) } };
}

/** An asynchronous invocation changes logs and memory when it ends, so the model waits for that. */
async function ended(
  { account, send }: Player,
  request: FuzzRequest,
  requestId: string,
): Promise<void> {
  const operation = operationOf('getLogs');
  const { path } = request;
  const query: [string, unknown][] = [['request_id', requestId]];
  for (let tries = 0; tries < 200; tries += 1) {
    const { request: look } = account.resolve({ operation, path, query, headers: {} });
    const { status, body } = await send(look);
    const entries = (body as { data?: unknown[] }).data ?? [];
    if (status !== 200 || entries.length > 0) return;
    await sleep(20);
  }
  demand(
    false,
    operation.pointer,
    () => `The asynchronous invocation ${requestId} did not end within 4 seconds`,
  );
}
