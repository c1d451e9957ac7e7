/** Derives the expected response to a valid request from the current state, and compares the actual one with it. */
import { isDeepStrictEqual } from 'node:util';
import type { OperationId } from '../../../generated/operations.js';
import { isObject } from '../../../scripts/lib/json.js';
import type { Answer } from '../http.js';
import { assertMatches, formatted } from '../mismatch.js';
import { agentRules } from './agents.js';
import { deploymentRules } from './deployments.js';
import { invocationRules } from './invocations.js';
import { keyRules } from './keys.js';
import { memoryRules } from './memory.js';
import type { Refusal, Rule } from './rule.js';
import { type Call, isExpired, type StoredAnswer } from './state.js';
import { metricRules } from './times.js';
import { webhookRules } from './webhooks.js';

const rules: Record<string, Rule | undefined> = {
  ...agentRules,
  ...deploymentRules,
  ...invocationRules,
  ...keyRules,
  ...memoryRules,
  ...metricRules,
  ...webhookRules,
  // A missing operation does not compile.
} satisfies Record<OperationId, Rule>;

/** Compares the response to a valid request with the model, and updates the model. */
export function checkAgainstModel(call: Call, refusedBefore: Refusal[], answer: Answer): void {
  const { operation } = call.request;
  const repeated = storedAnswer(call);
  if (refusedBefore.length === 0 && repeated) {
    checkRepeat(call, repeated, answer);
    return;
  }
  assertMatches(
    answer.headers['idempotency-replayed'] === undefined,
    operation.pointer,
    () => 'Idempotency-Replayed is there, but the request is no repeat',
  );
  if (refusedBefore.length > 0) {
    checkRefusal(call, refusedBefore, answer);
    return;
  }
  const expected = ruleOf(call).status?.(call) ?? successOf(call);
  assertMatches(
    answer.status === expected,
    `${operation.pointer}/responses/${expected}`,
    () =>
      `A valid request should get ${expected}, but got ${answer.status}: ${answer.text.slice(0, 400)}`,
  );
  const data = isObject(answer.body) ? answer.body['data'] : undefined;
  // Each rule knows the type of its data, and the contract check has validated it.
  ruleOf(call).checkAndApply(call, data as never, answer);
  store(call, answer);
}

/** The reasons why the current state rejects the request; empty if it must succeed. */
export function refusalsOf(call: Call): Refusal[] {
  const { caller, request } = call;
  if (caller.isGone || isExpired(caller)) return [{ status: 401 }];
  if (!caller.permissions.includes(request.operation.permission)) return [{ status: 403 }];
  const { contradictions, refusals } = ruleOf(call);
  const contradicted = contradictions?.(call) ?? [];
  if (contradicted.length > 0 || storedAnswer(call)) return contradicted;
  return refusals?.(call) ?? [];
}

export function checkRefusal({ request }: Call, refusals: Refusal[], answer: Answer): void {
  const { pointer } = request.operation;
  const matching = refusals.filter(({ status }) => status === answer.status);
  const statuses = refusals.map(({ status }) => status).join(' or ');
  assertMatches(
    matching.length > 0,
    `${pointer}/responses/${refusals[0]?.status ?? ''}`,
    () =>
      `It should be refused with ${statuses}, but got ${answer.status}: ${answer.text.slice(0, 400)}`,
  );
  const fields = fieldsOf(answer);
  const isNamed = matching.some(({ field }) => field === undefined || fields.includes(field));
  assertMatches(
    isNamed,
    pointer,
    () =>
      `The refusal should name ${formatted(matching.map(({ field }) => field))}, but names ${formatted(fields)}`,
  );
}

/** The fields that an error names. */
export function fieldsOf({ body }: Answer): string[] {
  const error = isObject(body) && isObject(body['error']) ? body['error'] : {};
  const details = Array.isArray(error['details']) ? (error['details'] as { field: string }[]) : [];
  return details.map(({ field }) => field);
}

/** After a success, the same body gets the stored response, and another body is rejected. */
function checkRepeat(call: Call, stored: StoredAnswer, answer: Answer): void {
  const { operation, payload = '' } = call.request;
  if (payload !== stored.payload) {
    checkRefusal(call, [{ status: 422 }], answer);
    return;
  }
  const isReplayed = answer.headers['idempotency-replayed'] === 'true';
  assertMatches(
    isReplayed,
    operation.pointer,
    () =>
      `A repeat should be replayed, but got ${answer.status} without Idempotency-Replayed: ${answer.text.slice(0, 400)}`,
  );
  // The stored result of a stream, or of an asynchronous invocation that has ended, has another form.
  if (stored.status === 202 || answer.body === undefined || stored.body === undefined) return;
  assertMatches(
    answer.status === stored.status && isDeepStrictEqual(answer.body, stored.body),
    operation.pointer,
    () =>
      `A repeat should get the first answer ${formatted(stored.body)}, but got ${formatted(answer.body)}`,
  );
}

function storedAnswer(call: Call): StoredAnswer | undefined {
  const scope = scopeOf(call);
  return scope === undefined ? undefined : call.state.stored.get(scope);
}

function store(call: Call, { status, body }: Answer): void {
  const scope = scopeOf(call);
  const { payload = '' } = call.request;
  if (scope !== undefined) call.state.stored.set(scope, { payload: String(payload), status, body });
}

/** An Idempotency-Key is scoped to the API key, the method and the path. */
function scopeOf({ request, caller }: Call): string | undefined {
  const { operation, headers, target } = request;
  const key = operation.isIdempotent ? headers['Idempotency-Key'] : undefined;
  return key === undefined ? undefined : [caller.id, operation.method, target, key].join(' ');
}

function ruleOf({ request: { operation } }: Call): Rule {
  const rule = rules[operation.operationId];
  if (!rule) throw new Error(`The model has no rule for ${operation.operationId}.`);
  return rule;
}

function successOf({ request: { operation } }: Call): number {
  const success = [...operation.responses.keys()].find((status) => status < 300);
  if (success === undefined) throw new Error(`${operation.operationId} has no success.`);
  return success;
}
