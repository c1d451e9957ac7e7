/** Runs agents that other agents ask: each as an invocation of its own, for the same user, which ends with the one that asked. */
import type { AgentConfigurations } from '../agents/configurations.js';
import { ServiceError } from '../contract/errors.js';
import type { BytesInFlight } from '../lib/async/bytes-in-flight.js';
import { FairQueue, type Release } from '../lib/async/fair-queue.js';
import { newId } from '../lib/data/typeid.js';
import { storable } from '../lib/text/storable.js';
import { currentDate } from '../lib/time/clock.js';
import { ToolFailure, ToolNotSent } from '../models/tools/tool.js';
import type { AskingRun, Question } from './asking.js';
import { bytesOfInput } from './call-agent.js';
import { Interruption, type InterruptionKind, RunControl } from './interruption.js';
import { type InvocationInput, type InvocationOutcome, isRemembered } from './invocation.js';
import { askedReferences } from './references.js';
import type { RunOptions } from './run.js';

interface AskedAgentsParts {
  configurations: AgentConfigurations;
  bytesInFlight: BytesInFlight;
  run: (invocation: InvocationInput, options: RunOptions) => Promise<InvocationOutcome>;
  /** Reports internal errors. */
  onError: (invocation: InvocationInput, error: unknown) => void;
}

/** How deep agents ask each other, so that a cycle ends. */
const maxDepth = 3;
/** How many an instance runs at a time, at each depth. */
const maxRunning = 64;

export class AskedAgents {
  readonly #parts: AskedAgentsParts;
  /** A line for each depth: those that wait for others never hold up the ones that they wait for. */
  readonly #lines = Array.from({ length: maxDepth }, () => new FairQueue(maxRunning));

  constructor(parts: AskedAgentsParts) {
    this.#parts = parts;
  }

  async ask(asking: AskingRun, question: Question): Promise<InvocationOutcome> {
    const { invocation: parent } = asking;
    const depth = (parent.asked?.depth ?? 0) + 1;
    const deadline = Date.now() + question.timeoutMs;
    const leave = await this.#enter(depth, parent.accountId, question);
    const memory = this.#parts.bytesInFlight.open(parent.accountId);
    try {
      const invocation = await this.#invocationOf(parent, depth, question);
      if (!memory.grow(bytesOfInput(invocation))) {
        throw new ToolNotSent('Not asked: the service has no memory left for more answers now.');
      }
      const { references, lacking } = askedReferences(invocation, asking.references);
      if (lacking !== '') throw new ToolNotSent(`Not asked: ${lacking}.`);
      question.signal.throwIfAborted();
      const { id: requestId, agentId } = invocation;
      question.onBegin({ requestId, agentId });
      const leftMs = Math.min(deadline, asking.control.deadline) - Date.now();
      const control = new RunControl(Math.max(1, Math.min(invocation.agent.timeoutMs, leftMs)));
      const stop = () => {
        control.interrupt(interruptionBy(question.signal.reason));
      };
      question.signal.addEventListener('abort', stop, { once: true });
      try {
        return await this.#run(invocation, {
          control,
          memory,
          worker: null,
          key: null,
          isPatient: asking.isPatient,
          references,
        });
      } finally {
        control.dispose();
        question.signal.removeEventListener('abort', stop);
      }
    } finally {
      memory.release();
      leave();
    }
  }

  async #enter(
    depth: number,
    accountId: string,
    { signal, timeoutMs }: Question,
  ): Promise<Release> {
    const line = this.#lines[depth - 1];
    if (!line) {
      throw new ToolNotSent(`Not asked: agents ask each other at most ${maxDepth} deep.`);
    }
    return line.enter(accountId, { signal }).catch(() => {
      throw new ToolNotSent(
        `Not asked: too many agents were answering others for ${timeoutMs} ms. The call had no effect.`,
      );
    });
  }

  async #invocationOf(
    parent: InvocationInput,
    depth: number,
    { agent: name, message, trace }: Question,
  ): Promise<InvocationInput> {
    // What is released, wherever the one that asks runs. What it leaves stands with the parent's environment.
    const released = { accountId: parent.accountId, reference: name, environment: null };
    const agent = await this.#parts.configurations.find(released);
    if (!agent) throw new ToolNotSent(`Not asked: there is no agent '${name}'.`);
    if (agent.status === 'stopped') {
      throw new ToolNotSent(`Not asked: the agent '${name}' is stopped.`);
    }
    // A message of white space is refused by providers, as it is by the API.
    if (message.trim() === '') throw new ToolNotSent('Not asked: the message is empty.');
    return {
      ...parent,
      id: newId('req'),
      agentId: agent.id,
      agent,
      message: storable(message),
      context: contextFrom(parent),
      sessionId: null,
      createdAt: currentDate(),
      trace,
      schedule: null,
      asked: { requestId: parent.id, agentId: parent.agentId, depth },
    };
  }

  async #run(invocation: InvocationInput, options: RunOptions): Promise<InvocationOutcome> {
    const outcome = await this.#parts.run(invocation, options).catch((error: unknown) => {
      // The agent was deleted while it ran.
      if (error instanceof ServiceError && error.code === 'not_found') {
        throw new ToolFailure(error.message);
      }
      throw error;
    });
    const cause = 'failure' in outcome ? outcome.failure.cause : undefined;
    if (cause !== undefined) this.#parts.onError(invocation, cause);
    return outcome;
  }
}

/** What the caller said of itself, and that nothing is to be remembered. */
function contextFrom(parent: InvocationInput): InvocationInput['context'] {
  const { context } = parent;
  if (isRemembered(parent) && context?.['session_id'] === undefined) return context;
  const kept = Object.entries(context ?? {}).filter(([name]) => name !== 'session_id');
  return { ...Object.fromEntries(kept), ...(isRemembered(parent) ? {} : { remember: false }) };
}

/** The time of a call is up, or the invocation that asked has ended. */
function interruptionBy(reason: unknown): InterruptionKind {
  if (!(reason instanceof Interruption)) return 'timeout';
  const { kind } = reason;
  return kind === 'timeout' || kind === 'stopping' ? kind : 'asker_ended';
}
