/** The tools with which the model of an agent asks other agents. */
import type { AgentTool } from '../../generated/manifest.js';
import { longestRunMs, nameOfAgentTool } from '../contract/agent-options.js';
import { parseDuration } from '../lib/time/duration.js';
import { noTokens, type Tokens } from '../models/token-usage.js';
import {
  type ReferenceValues,
  resultText,
  type Tool,
  ToolFailure,
  type ToolPolicy,
} from '../models/tools/tool.js';
import type { Trace } from '../telemetry/telemetry.js';
import type { RunControl } from './interruption.js';
import type { AskedRun, InvocationInput, InvocationOutcome } from './invocation.js';

/** An invocation that asks. */
export interface AskingRun {
  invocation: InvocationInput;
  control: Pick<RunControl, 'deadline'>;
  /** Whether a provider's rate limit is waited for until the deadline. */
  isPatient: boolean;
  /** What its tools get of the request. */
  references: ReferenceValues;
}

export interface Question {
  /** The name of the agent. */
  agent: string;
  message: string;
  /** Aborts when the answer is no longer needed, and when the time of the call is up. */
  signal: AbortSignal;
  timeoutMs: number;
  /** The position of the call. */
  trace: Trace;
  /** Called when the agent is about to run. */
  onBegin: (run: Omit<AskedRun, 'tokens'>) => void;
}

/**
 * Runs an agent, and resolves once its outcome is recorded. Throws a ToolFailure if it does not run, or an error that ends the invocation
 * that asks.
 */
export type AskAgent = (asking: AskingRun, question: Question) => Promise<InvocationOutcome>;

interface AskingTools {
  tools: Tool[];
  /** What a call has run; undefined if it has run nothing, or is another tool's. */
  runOf: (callId: string) => AskedRun | undefined;
}

interface AskingParts {
  ask: AskAgent;
  maxResult: ToolPolicy['maxResult'];
  /** Receives what an agent has used, whether or not it has answered. */
  onTokens: (tokens: Tokens) => void;
}

const parameters = {
  type: 'object',
  required: ['message'],
  additionalProperties: false,
  properties: {
    message: {
      type: 'string',
      description: 'What to ask or tell the agent. It sees nothing else of this conversation.',
      minLength: 1,
      maxLength: 100_000,
    },
  },
};

export function createAskingTools(
  agents: readonly AgentTool[],
  asking: AskingRun,
  { ask, maxResult, onTokens }: AskingParts,
): AskingTools {
  const runs = new Map<string, AskedRun>();
  const toolOf = ({ name, description, timeout, approval }: AgentTool): Tool => {
    const timeoutMs = parseDuration(timeout ?? '') ?? longestRunMs;
    return {
      name: nameOfAgentTool(name),
      description,
      parameters,
      timeoutMs,
      approver: approval,
      call: async ({ message }, signal, { id, trace }) => {
        const outcome = await ask(asking, {
          agent: name,
          message: String(message),
          signal,
          timeoutMs,
          trace,
          onBegin: (run) => runs.set(id, { ...run, tokens: noTokens }),
        });
        const run = runs.get(id);
        if (run) run.tokens = outcome.total;
        onTokens(outcome.total);
        return answerOf(outcome, maxResult);
      },
    };
  };
  return {
    tools: agents.map(toolOf),
    runOf: (callId) => runs.get(callId),
  };
}

function answerOf(outcome: InvocationOutcome, maxResult: ToolPolicy['maxResult']): string {
  if ('failure' in outcome) throw new ToolFailure(outcome.failure.message);
  const { response, finishReason } = outcome.completion;
  const text = resultText(response, { secrets: [], maxResult });
  return finishReason === 'length' ? `${text}\n[The answer was cut at its output limit.]` : text;
}
