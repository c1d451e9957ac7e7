/** The model of invocations and of their log entries, metrics and memory. */
import type { JsonObject } from '../../../scripts/lib/json.js';
import { eventsIn } from '../answers.js';
import type { Answer } from '../http.js';
import { assertMatches, formatted } from '../mismatch.js';
import { agentMissing } from './agents.js';
import { checkFields, checkPage } from './lists.js';
import { notFound, type Refusal, type Rules, when } from './rule.js';
import { agentOf, type Call, findAgent } from './state.js';
import { timeRangeRefusals } from './times.js';

interface Invoked {
  message: string;
  context?: { user_id?: string; session_id?: string; remember?: boolean };
  resume?: object;
  environment?: string;
}

interface Result {
  response?: string;
  request_id: string;
}

export const invocationRules = {
  invokeAgent: {
    contradictions: unresumable,
    refusals: (call) => [
      ...agentMissing(call),
      ...nothingWaits(call),
      ...notDeployed(call),
      ...nobodyActs(call),
    ],
    status: (call) => (isAsync(call) ? 202 : 200),
    checkAndApply: (call, data: Result | undefined, answer) => {
      checkForm(call, answer);
      const result = data ?? streamed(call, answer);
      const { message, context, environment = 'production' } = call.request.body as Invoked;
      const { pointer } = call.request.operation;
      // The agents under test echo.
      if (!isAsync(call)) checkFields(call, result, { response: message });
      const isOwn = result.request_id === answer.headers['x-request-id'];
      assertMatches(
        isOwn,
        pointer,
        () => `request_id is not that of the answer: ${result.request_id}`,
      );
      const agent = agentOf(call);
      agent.invocations.set(result.request_id, environment);
      const { user_id = null, session_id = null, remember = true } = context ?? {};
      if (!remember) return;
      for (const role of ['user', 'agent']) {
        agent.memory.push({
          role,
          content: message,
          request_id: result.request_id,
          user_id,
          session_id,
          environment,
        });
      }
    },
  },

  getLogs: {
    refusals: (call) => [...agentMissing(call), ...timeRangeRefusals(call)],
    checkAndApply: (call, _data, answer) => {
      const { pointer } = call.request.operation;
      const {
        level,
        request_id: requestId,
        environment,
        start_time: start,
        end_time: end,
      } = call.request.query;
      const { invocations } = agentOf(call);
      const entries = checkPage(call, answer);
      for (const entry of entries) {
        const at = Date.parse(String(entry['timestamp']));
        const isWithin =
          (start === undefined || at >= Date.parse(start)) &&
          (end === undefined || at < Date.parse(end));
        assertMatches(
          isWithin,
          pointer,
          () => `The entry is outside of the range: ${formatted(entry)}`,
        );
        if (level !== undefined) checkFields(call, entry, { level });
        const { request_id: actual } = entry['metadata'] as JsonObject;
        if (environment !== undefined) {
          // What is not of an invocation counts as production.
          const own = invocations.get(String(actual)) ?? 'production';
          assertMatches(
            own === environment,
            pointer,
            () => `The entry is of the environment ${own}: ${formatted(entry)}`,
          );
        }
        if (requestId !== undefined) {
          assertMatches(
            actual === requestId,
            pointer,
            () => `The entry is of another request: ${formatted(entry)}`,
          );
        }
      }
      checkDescending(
        call,
        entries.map((entry) => String(entry['timestamp'])),
      );
      const ran = requestId === undefined ? undefined : invocations.get(requestId);
      const isRecorded = ran !== undefined && (environment ?? ran) === ran;
      const isFiltered = level !== undefined || start !== undefined || end !== undefined;
      if (!isRecorded || isFiltered || Number(call.request.query['offset'] ?? 0) > 0) return;
      assertMatches(
        entries.length > 0,
        pointer,
        () => `The invocation ${requestId} has left no entry`,
      );
    },
  },

  clearMemory: {
    refusals: agentMissing,
    checkAndApply: (call, data: { cleared: number }) => {
      const { memory } = agentOf(call);
      checkFields(call, data, { cleared: memory.length });
      memory.length = 0;
    },
  },
} satisfies Rules;

/** The agents under test have no tools, so that no invocation waits for a decision. */
function nothingWaits({ request }: Call): Refusal[] {
  const { resume } = request.body as Invoked;
  return when(resume !== undefined, { status: 409 });
}

/** Nor does any tool get a token. */
function nobodyActs({ request: { headers } }: Call): Refusal[] {
  const isSent = headers['X-Tool-Authorization'] !== undefined;
  return when(isSent, { status: 400, field: 'X-Tool-Authorization' });
}

/** Only deployments make environments, apart from production and the draft. */
function notDeployed(call: Call): Refusal[] {
  const { resume, environment = 'production' } = call.request.body as Invoked;
  if (resume !== undefined || ['production', 'draft'].includes(environment)) return [];
  const agent = findAgent(call, call.request.path['agent_id']);
  const isDeployed = agent?.deployments.some(
    (one) => one.environment === environment && one.status === 'active',
  );
  return when(isDeployed !== true, notFound);
}

/** Resuming a stream takes its key and a client that accepts events; an event id made up by the fuzzer is unknown. */
function unresumable({ request: { headers } }: Call): Refusal[] {
  if (headers['Last-Event-ID'] === undefined) return [];
  const isComplete = headers['Idempotency-Key'] !== undefined && wantsEvents(headers);
  return [isComplete ? { status: 409 } : { status: 400, field: 'Last-Event-ID' }];
}

function wantsEvents(headers: Record<string, string>): boolean {
  return (headers['Accept'] ?? '').toLowerCase() === 'text/event-stream';
}

/** The Accept header decides whether the response is a stream; an asynchronous one never is. */
function checkForm(call: Call, { headers }: Answer): void {
  const { operation, headers: sent } = call.request;
  const isStream = headers['content-type']?.startsWith('text/event-stream') === true;
  assertMatches(
    isStream === (wantsEvents(sent) && !isAsync(call)),
    operation.pointer,
    () =>
      `With Accept: ${sent['Accept'] ?? 'none'} it came as ${headers['content-type'] ?? 'nothing'}`,
  );
}

/** The last event of a stream holds the whole result, and its deltas add up to the response. */
function streamed(call: Call, { text }: Answer): Result {
  const events = eventsIn(text);
  const last = events.at(-1);
  const { pointer } = call.request.operation;
  assertMatches(
    last?.event === 'done',
    pointer,
    () => `The stream did not succeed: ${text.slice(0, 300)}`,
  );
  const result = last.data as Result;
  const pieces = events.slice(0, -1).map(({ data }) => (data as { text: string }).text);
  assertMatches(
    pieces.join('') === result.response,
    pointer,
    () => `The deltas are not the response: ${formatted(pieces)}`,
  );
  return result;
}

function checkDescending({ request }: Call, times: string[]): void {
  const isOrdered = times.every((time, index) => index === 0 || time <= (times[index - 1] ?? ''));
  assertMatches(
    isOrdered,
    request.operation.pointer,
    () => `The entries are not newest first: ${formatted(times)}`,
  );
}

/** `respond-async` as one of the preferences of RFC 7240. */
function isAsync({ request: { headers } }: Call): boolean {
  const preferences = (headers['Prefer'] ?? '').replaceAll(/"[^"]*"/g, '').split(',');
  return preferences.some((one) => /^\s*respond-async\s*([;=]|$)/i.test(one));
}
