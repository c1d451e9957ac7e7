/** Sends requests in sequence, and checks each response against the contract and the model. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Account } from './account.js';
import { checkAnswer } from './answers.js';
import { operationOf } from './contract.js';
import type { FuzzRequest, Transport } from './http.js';
import { assertMatches, formatted } from './mismatch.js';
import { checkRefusal, fieldsOf, refusalsOf, checkAgainstModel } from './model/expect.js';
import type { Call, KeyRecord } from './model/state.js';
import type { Template } from './template.js';
import type { Violation } from './violations/violation.js';

/** A new request, or a repeat of an earlier one that may replace its body. */
export type Step = Template | { again: number; body?: unknown };

export interface Sent {
  request: FuzzRequest;
  caller: KeyRecord;
}

export interface Runner {
  account: Account;
  send: Transport;
  /** The sent requests, in order. */
  sentRequests: Sent[];
}

/** Sends a valid request: the model decides what the response must be. */
export async function sendValid(runner: Runner, step: Step): Promise<void> {
  const { sentRequests, account } = runner;
  const sent = 'again' in step ? repeated(runner, step) : account.resolve(step);
  if (!sent) return;
  sentRequests.push(sent);
  const call: Call = { ...sent, state: account.state };
  const refusals = refusalsOf(call);
  const answer = await runner.send(sent.request);
  checkAnswer(sent.request.operation, answer);
  checkAgainstModel(call, refusals, answer);
  if (answer.status === 202)
    await ended(runner, sent.request, answer.headers['x-request-id'] ?? '');
}

/** In sequence, until the first mismatch. */
export async function sendAll(runner: Runner, steps: Step[]): Promise<void> {
  for (const step of steps) await sendValid(runner, step);
}

/** Sends a request with one violation. */
export async function sendInvalid(
  runner: Runner,
  template: Template,
  violation: Violation,
): Promise<void> {
  const sent = runner.account.resolve(template);
  runner.sentRequests.push(sent);
  const answer = await runner.send(sent.request);
  const { name, pointer, status, field } = violation;
  assertMatches(
    answer.status === status,
    pointer,
    () =>
      `${name} is violated, which should be a ${status}, but got ${answer.status}: ${answer.text.slice(0, 400)}`,
  );
  checkAnswer(sent.request.operation, answer);
  const call: Call = { ...sent, state: runner.account.state };
  checkRefusal(call, [{ status }], answer);
  if (field === undefined) return;
  const fields = fieldsOf(answer);
  const isNamed =
    fields.length > 0 && fields.every((one) => one.toLowerCase() === field.toLowerCase());
  assertMatches(
    isNamed,
    pointer,
    () =>
      `${name} is violated, so the error should name '${field}' alone, but names ${formatted(fields)}: ${answer.text.slice(0, 400)}`,
  );
}

function repeated(
  { sentRequests }: Runner,
  { again, body }: { again: number; body?: unknown },
): Sent | undefined {
  const earlier = sentRequests[again % sentRequests.length];
  if (!earlier || body === undefined) return earlier;
  return { ...earlier, request: { ...earlier.request, body, payload: JSON.stringify(body) } };
}

/** An asynchronous invocation changes logs and memory when it ends, so the model waits for that. */
async function ended(
  { account, send }: Runner,
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
  assertMatches(
    false,
    operation.pointer,
    () => `The asynchronous invocation ${requestId} did not end within 4 seconds`,
  );
}
