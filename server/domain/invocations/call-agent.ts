/** Calls the model of an agent: with its history, its tools, its fallbacks and its budget. */
import type { InvocationToolCall } from '../../../generated/api.js';
import { reasonOf } from '../../lib/abort.js';
import type { InvocationScope } from '../../lib/telemetry.js';
import { converse } from '../../runtime/converse.js';
import type { ModelCandidate } from '../../runtime/call-model.js';
import type { Models } from '../../runtime/models.js';
import type { Prompt } from '../../runtime/model.js';
import type { ActiveAgent } from '../../store/agents.js';
import type { BudgetCounters } from '../../store/budgets.js';
import type { ReadHistory } from '../../store/sessions.js';
import { type AnswerReservation, bytesPerCharacter, bytesPerPiece } from './answer-memory.js';
import { openBudgetMeter, settled } from './budget.js';
import { Interruption, type Interruptible } from './interruption.js';
import type { Completion, InvocationInput } from './invocation.js';
import type { Journal } from './journal.js';
import { openAgentTools } from './tools.js';

export interface AgentCallParts {
  models: Models;
  budgets: BudgetCounters;
  readHistory: ReadHistory;
  /** For development: tools may use plain http and private addresses. */
  allowPrivateTargets: boolean;
}

/** For an asynchronous invocation. Each resolves to false if another worker runs it. */
export interface Attempt {
  /** Counts an attempt. */
  begin: () => Promise<boolean>;
  /** Notes that tools are about to be called: from then on nobody may run it again. */
  act: () => Promise<boolean>;
}

export interface AgentCallOptions {
  running: Interruptible;
  answer: AnswerReservation;
  /** Undefined for a synchronous one. */
  attempt?: Attempt | undefined;
  onText?: ((text: string) => void) | undefined;
  onTool?: ((call: InvocationToolCall) => void) | undefined;
}

/** What is known of a run while it goes on. */
export interface Progress {
  journal: Journal;
  scope: InvocationScope;
  tokensUsed: number | null;
  /** Whether tools were called. */
  hasActed: boolean;
}

export async function callAgent(
  { models, budgets, readHistory, allowPrivateTargets }: AgentCallParts,
  invocation: InvocationInput,
  { running: { signal, deadline, interrupt }, answer, attempt, onText, onTool }: AgentCallOptions,
  progress: Progress,
): Promise<Completion> {
  const { agent, createdAt } = invocation;
  const { journal, scope } = progress;
  const assertRoom = (hasRoom: boolean) => {
    if (hasRoom) return;
    interrupt('overloaded');
    throw reasonOf(signal);
  };
  const prompt = await promptOf(readHistory, invocation, signal);
  assertRoom(answer.grow(charactersOf(prompt.history) * bytesPerCharacter));
  const output =
    agent.options.output && (await openOutputCheck(agent, agent.options.output.schema));
  await still(attempt?.begin());
  journal.modelCalled(Math.max(0, Date.now() - createdAt.getTime()));
  const tools = await openAgentTools(agent, {
    allowPrivate: allowPrivateTargets,
    signal,
    journal,
    scope,
    onTool,
    beforeFirst: async () => {
      await still(attempt?.act());
      progress.hasActed = true;
    },
  });
  const budget = openBudgetMeter(budgets, agent, () => progress.tokensUsed ?? 0);
  let response = '';
  const conversation = converse(candidatesOf(agent, models), prompt, {
    signal,
    deadline,
    toolbox: tools.toolbox,
    output,
    beforeCall: budget?.beforeCall,
    // Nobody waits for an asynchronous invocation.
    ...(attempt ? { maxRetryAfterMs: Infinity } : {}),
    scope,
    onRetry: journal.retried,
    onFallback: journal.fellBack,
    onNextCall: journal.modelCalledAgain,
    onTokens: (known) => {
      progress.tokensUsed = known;
    },
    meter: {
      // As received, and as the text that it then becomes.
      announce: (bytes) => {
        assertRoom(answer.expect(bytes * (1 + bytesPerCharacter)));
      },
      receive: (bytes) => {
        assertRoom(answer.grow(bytes));
      },
    },
    onText: (text) => {
      assertRoom(answer.grow(bytesPerPiece + bytesPerCharacter * text.length));
      response += text;
      onText?.(text);
    },
  }).finally(tools.close);
  return { ...(await settled(conversation, budget)), response };
}

async function promptOf(
  readHistory: ReadHistory,
  { id, agent, message, context, userId, sessionId }: InvocationInput,
  signal: AbortSignal,
): Promise<Prompt> {
  const history =
    sessionId === null
      ? []
      : await readHistory(
          { accountId: agent.accountId, agentId: agent.id, userId, sessionId },
          agent.historyLimit,
          signal,
        );
  return {
    instructions: agent.instructions,
    temperature: agent.temperature,
    history,
    message,
    context: context ?? {},
    agent: { id: agent.id, name: agent.name },
    requestId: id,
  };
}

function charactersOf(history: Prompt['history']): number {
  return history.reduce((sum, { content }) => sum + content.length, 0);
}

/** Loaded on first use, for few agents have one. */
async function openOutputCheck({ accountId }: ActiveAgent, schema: object) {
  const { createOutputCheck } = await import('../../runtime/output-check.js');
  return createOutputCheck(accountId, schema);
}

function candidatesOf(
  { model, endpoint, options: { fallbacks = [] } }: ActiveAgent,
  models: Models,
): [ModelCandidate, ...ModelCandidate[]] {
  const candidate = (name: string) => ({
    name,
    open: () => models.open({ model: name, endpoint }),
  });
  return [candidate(model), ...fallbacks.map(candidate)];
}

async function still(isMine: Promise<boolean> | undefined): Promise<void> {
  if ((await isMine) === false) throw new Interruption('work_lost');
}
