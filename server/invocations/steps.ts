/**
 * The steps of a run: the model's replies that call tools, the beginning of their calls, and each result. They are committed as the run
 * goes on, so that another process can go on with it after the last one, and are deleted when the run ends.
 */
import type { PendingApproval } from '../../generated/api.js';
import type { ActiveAgent } from '../agents/configurations.js';
import type { Secrets } from '../installation/key-ring.js';
import { sealContexts } from '../installation/seal-contexts.js';
import type {
  Decision,
  EarlierConversation,
  RequestedCall,
  RequestedCalls,
} from '../models/converse.js';
import type { Reply, Step, ToolResult } from '../models/model.js';
import { addTokens, noTokens, type Tokens } from '../models/token-usage.js';
import type { ReferenceValues } from '../models/tools/tool.js';
import type { Connection } from '../postgres/connection.js';
import type { InvocationInput } from './invocation.js';

/** What a run keeps of its agent's configuration, which a deployment may change meanwhile. */
export type FrozenAgent = Pick<
  ActiveAgent,
  | 'deploymentId'
  | 'model'
  | 'temperature'
  | 'instructions'
  | 'timeoutMs'
  | 'historyLimit'
  | 'endpoint'
  | 'options'
>;

type Began = Pick<
  InvocationInput,
  'message' | 'context' | 'userId' | 'sessionId' | 'environment'
> & {
  agent: FrozenAgent;
  /** What its tools get of the request. Undefined for a run that a release without references began. */
  references?: ReferenceValues;
};

/** How much this invocation of the run has used. */
interface Spent extends Tokens {
  /** For how long it has run, in milliseconds. */
  elapsedMs: number;
}

export type RunStep =
  | ({ type: 'began' } & Began)
  | ({ type: 'replied'; reply: Reply; text: string; calls: readonly RequestedCall[] } & Spent)
  /** The calls of the last reply begin. */
  | { type: 'begun' }
  | {
      type: 'ended';
      id: string;
      succeeded: boolean;
      text: string;
      durationMs: number;
      /** What the agent has used that was asked; undefined for other calls. */
      asked?: Tokens | undefined;
    }
  /** The calls of the last reply wait for approval. */
  | { type: 'paused'; approvals: readonly PendingApproval[] }
  /** Another invocation goes on with them. */
  | ({ type: 'decided'; decisions: Readonly<Record<string, Decision>> } & Pick<
      InvocationInput,
      'message' | 'context'
    >);

/** A step in its place, as text. */
export interface NewStep {
  position: number;
  data: string;
}

/** Collects the steps of a run until they are written. */
export class StepLog {
  #position: number;
  #unwritten: NewStep[] = [];

  /** `position` is the number of steps that are written already. */
  constructor(position: number) {
    this.#position = position;
  }

  get isEmpty(): boolean {
    return this.#position === 0;
  }

  add(step: RunStep): void {
    this.#unwritten.push({ position: this.#position, data: JSON.stringify(step) });
    this.#position += 1;
  }

  /** Before the run ends without it. It may be written nevertheless, if an answer was lost. */
  dropLast(): void {
    if (this.#unwritten.pop()) this.#position -= 1;
  }

  /** Writing steps twice, after a lost answer, changes nothing. */
  unwritten(): readonly NewStep[] {
    return [...this.#unwritten];
  }

  written(steps: readonly NewStep[]): void {
    const last = steps.at(-1)?.position ?? -1;
    this.#unwritten = this.#unwritten.filter(({ position }) => position > last);
  }
}

/** How many characters of steps are sealed and sent at once: as JSON they take several times that. */
const maxPart = 1_000_000;

/** Many steps in parts, so that they neither block the event loop for long nor fill the memory. */
export function inParts(steps: readonly NewStep[]): NewStep[][] {
  const parts: NewStep[][] = [];
  let free = 0;
  for (const step of steps) {
    const last = parts.at(-1);
    free -= step.data.length;
    if (last && free >= 0) last.push(step);
    else {
      parts.push([step]);
      free = maxPart - step.data.length;
    }
  }
  return parts;
}

function freeze({
  deploymentId,
  model,
  temperature,
  instructions,
  timeoutMs,
  historyLimit,
  endpoint,
  options,
}: ActiveAgent): FrozenAgent {
  return {
    deploymentId,
    model,
    temperature,
    instructions,
    timeoutMs,
    historyLimit,
    endpoint,
    options,
  };
}

export function beginningOf(
  { message, context, userId, sessionId, environment, agent }: InvocationInput,
  references: ReferenceValues,
): RunStep {
  const whose = { userId, sessionId, environment };
  return { type: 'began', message, context, ...whose, agent: freeze(agent), references };
}

/** A call of a step that is shown again in the stream of a repeat. */
export interface CommittedCall {
  id: string;
  name: string;
  succeeded: boolean;
  durationMs: number;
}

/** What is committed of a run. */
export interface CommittedRun extends Began {
  /** False: nothing but its beginning, so it may start over. */
  hasActed: boolean;
  conversation: EarlierConversation;
  /** The calls with a result, for each of the conversation's texts. */
  ended: readonly (readonly CommittedCall[])[];
  /** The number of the last call. */
  callsBefore: number;
  elapsedMs: number;
  /** What the agents have used that this invocation of the run asked. */
  asked: Tokens;
  /** What was said before the last decision: its exchange is remembered together with what follows. */
  earlier: { messages: string[]; texts: string[] };
  /** Those of the last pause. */
  approvals: readonly PendingApproval[];
  /** The number of steps. */
  length: number;
  /** What their texts take in memory. */
  bytes: number;
}

export async function readSteps(
  { prisma }: Connection,
  secrets: Secrets,
  { accountId, requestId }: RunId,
): Promise<RunStep[]> {
  const rows = await prisma.runStep.findMany({
    where: { accountId, requestId },
    select: { position: true, sealedData: true },
    orderBy: { position: 'asc' },
  });
  return rows.map(({ position, sealedData }) => {
    const text = secrets.open(sealedData, sealContexts.runStep({ requestId, position }));
    return JSON.parse(text.toString()) as RunStep;
  });
}

export interface RunId {
  accountId: string;
  requestId: string;
}

/** Undefined if there are no steps, or if the first ones were erased with their user while the run went on. */
export function committedRun([began, ...steps]: readonly RunStep[]): CommittedRun | undefined {
  if (began?.type !== 'began') return undefined;
  const { message, userId, sessionId, environment, agent, references } = began;
  let { context } = began;
  let spent: Spent = nothingSpent;
  let asked = noTokens;
  let characters = 0;
  let requested: Requested | undefined;
  let calls = 0;
  let callsBefore = 0;
  let approvals: readonly PendingApproval[] = [];
  let texts: string[] = [];
  let ended: CommittedCall[][] = [];
  const earlier = { messages: [message], texts: [] as string[] };
  const done: Step[] = [];
  for (const step of steps) {
    switch (step.type) {
      case 'replied':
        if (requested) done.push(...stepsOf(requested));
        requested = { ...step, isBegun: false, results: new Map(), decisions: new Map() };
        spent = step;
        calls += 1;
        callsBefore = Math.max(callsBefore, ...step.calls.map(({ id }) => numberOf(id)));
        texts.push(step.text);
        characters += step.text.length;
        ended.push([]);
        break;
      case 'begun':
        if (requested) requested.isBegun = true;
        break;
      case 'ended': {
        const { id, succeeded, text, durationMs } = step;
        requested?.results.set(id, { succeeded, text });
        characters += text.length;
        if (step.asked) asked = addTokens(asked, step.asked);
        const name = requested?.calls.find((call) => call.id === id)?.call.name ?? '';
        ended.at(-1)?.push({ id, name, succeeded, durationMs });
        break;
      }
      case 'paused':
        approvals = step.approvals;
        break;
      case 'decided':
        if (requested) {
          const decided = Object.entries(step.decisions);
          requested.decisions = new Map([...requested.decisions, ...decided]);
          requested.said = [
            ...(requested.said === undefined ? [] : [requested.said]),
            step.message,
          ].join('\n\n');
        }
        context = joinedContext(context, step.context);
        earlier.messages.push(step.message);
        earlier.texts.push(...texts);
        [texts, ended, spent, asked] = [[], [], nothingSpent, noTokens];
        break;
      case 'began':
        throw new TypeError('A run began twice.');
    }
  }
  return {
    message,
    context,
    userId,
    sessionId,
    environment,
    agent,
    ...(references ? { references } : {}),
    hasActed: steps.length > 0,
    conversation: {
      steps: done,
      calls,
      texts,
      requested,
      tokensUsed: spent.tokensUsed,
      usage: spent.usage,
    },
    ended,
    callsBefore,
    elapsedMs: spent.elapsedMs,
    asked,
    earlier,
    approvals,
    length: steps.length + 1,
    bytes: 2 * characters,
  };
}

/**
 * Of a run and of the invocation that goes on with it, which changes nothing that the run began with: agents that it asks get it. Neither is
 * remembered unless both may be.
 */
export function joinedContext(
  earlier: InvocationInput['context'],
  later: InvocationInput['context'],
): InvocationInput['context'] {
  const isForgotten = [earlier, later].some((context) => context?.['remember'] === false);
  return { ...later, ...earlier, ...(isForgotten ? { remember: false } : {}) };
}

interface Requested extends RequestedCalls {
  isBegun: boolean;
  results: Map<string, Omit<ToolResult, 'call'>>;
  decisions: Map<string, Decision>;
}

const nothingSpent: Spent = { tokensUsed: 0, usage: {}, elapsedMs: 0 };

const numberOf = (id: string | undefined) => Number(id?.slice('call_'.length) ?? 0);

/** Of a reply whose calls all have an outcome, since the model was called again. Those that could not be made have none. */
function stepsOf({ reply, calls, results, said }: Requested): Step[] {
  const outcomes = calls.map(({ call, id = '' }) => ({
    call,
    ...(results.get(id) ?? { succeeded: false, text: notMade }),
  }));
  return [{ reply, results: outcomes }, ...(said === undefined ? [] : [{ said }])];
}

const notMade = 'Not called: there is no such tool, or there were too many calls at once.';
