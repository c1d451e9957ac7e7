/** Calls the model of an agent with its history, tools, fallbacks and budget. */
import type { InvocationToolCall } from '../../../generated/api.js';
import { abortReason } from '../../lib/async/abort.js';
import { currentTime } from '../../lib/time/clock.js';
import type { Reservation } from '../../lib/async/bytes-in-flight.js';
import type { InvocationScope } from '../../observability/telemetry.js';
import { converse } from '../../runtime/converse.js';
import type { Models } from '../../runtime/models.js';
import { createOutputCheck } from '../../runtime/output-check.js';
import type { OpenRecall } from '../memory/recall.js';
import type { Prompt } from '../../runtime/model.js';
import type { BudgetCounters } from '../../store/accounts/budgets.js';
import type { HistoryMessage } from '../../store/sessions/sessions.js';
import { candidatesOf } from './candidates.js';
import { type History, historyOf } from './history.js';
import { openBudgetMeter, settleAfter } from './budget.js';
import { Interruption, type Interruptible } from './interruption.js';
import type { Completion, InvocationInput } from './invocation.js';
import type { Journal } from './journal.js';
import type { ToolLog } from './tool-log.js';
import { openAgentTools } from './tools.js';

export interface AgentCallParts {
  models: Models;
  budgets: BudgetCounters;
  /** For development: tools may use plain http and private addresses. */
  allowPrivateTargets: boolean;
  openRecall: OpenRecall;
}

/** An attempt at an asynchronous invocation. */
export interface Attempt {
  /** Counts the attempt. Resolves to false if another worker has taken the invocation over. */
  begin: () => Promise<boolean>;
}

export interface AgentCallOptions {
  running: Interruptible;
  /** Covers the invocation until its response is recorded and sent. */
  memory: Reservation;
  /** Undefined for a synchronous invocation. */
  attempt?: Attempt | undefined;
  onText?: ((text: string) => void) | undefined;
  onTool?: ((call: InvocationToolCall) => void) | undefined;
}

/** The state of a run in progress. */
export interface Progress {
  journal: Journal;
  toolLog: ToolLog;
  scope: InvocationScope;
  tokensUsed: number | null;
  /** An estimate of what models do not report, which counts for budgets only. */
  unreportedTokens: number;
  /** Earlier turns that the provider did not take. */
  turnsLeftOut: number;
  /** Whether tools were called. */
  hasActed: boolean;
}

/** `history` are the earlier messages of the session, oldest first. */
export async function callAgent(
  { models, budgets, allowPrivateTargets, openRecall }: AgentCallParts,
  invocation: InvocationInput,
  history: readonly HistoryMessage[],
  { running: { signal, deadline, interrupt }, memory, attempt, onText, onTool }: AgentCallOptions,
  progress: Progress,
): Promise<Completion> {
  const { agent, createdAt } = invocation;
  const { journal, toolLog, scope } = progress;
  const reserve = (bytes: number) => {
    if (memory.grow(bytes)) return;
    interrupt('overloaded');
    throw abortReason(signal);
  };
  const earlier = historyOf(history, agent);
  const prompt = promptOf(invocation, earlier);
  for (const { content } of earlier.messages) reserve(bytesPerCharacter * content.length);
  const output =
    agent.options.output && createOutputCheck(agent.accountId, agent.options.output.schema);
  if ((await attempt?.begin()) === false) throw new Interruption('work_lost');
  journal.modelCalled(Math.max(0, currentTime() - createdAt.getTime()));
  const { userId, sessionId } = invocation;
  const whose = { accountId: agent.accountId, agentId: agent.id, userId, sessionId };
  const tools = await openAgentTools(agent, {
    recall: agent.options.recall ? openRecall(whose) : undefined,
    allowPrivate: allowPrivateTargets,
    signal,
    journal,
    toolLog,
    scope,
    onTool,
    beforeCalls: async (calls) => {
      await toolLog.begin(calls);
      progress.hasActed ||= calls.some(({ hasEffect }) => hasEffect);
    },
  });
  const budget = openBudgetMeter(
    budgets,
    agent,
    () => (progress.tokensUsed ?? 0) + progress.unreportedTokens,
  );
  let response = '';
  const conversation = converse(candidatesOf(agent, models), prompt, {
    accountId: agent.accountId,
    signal,
    deadline,
    toolbox: tools.toolbox,
    output,
    beforeCall: budget?.beforeCall,
    // No client waits for an asynchronous invocation.
    isPatient: attempt !== undefined,
    scope,
    onRetry: journal.retried,
    onFallback: journal.fellBack,
    onNextCall: journal.modelCalledAgain,
    onTokens: (known) => {
      progress.tokensUsed = known;
    },
    onUnreportedTokens: (estimate) => {
      progress.unreportedTokens += estimate;
    },
    onSettingChanged: journal.settingChanged,
    onLeftOut: (leftOut) => {
      progress.turnsLeftOut = leftOut.turns;
      journal.leftOut(leftOut);
    },
    onCallsWithheld: journal.callsWithheld,
    onStepLimit: journal.stepLimitReached,
    countReceived: reserve,
    onText: (text) => {
      reserve(bytesPerChunk + bytesPerCharacter * text.length);
      response += text;
      onText?.(text);
    },
  }).finally(tools.close);
  return { ...(await settleAfter(conversation, budget)), response };
}

function promptOf(
  { id, agent, sessionId, message, context }: InvocationInput,
  { messages, summary }: History,
): Prompt {
  return {
    instructions: agent.instructions,
    temperature: agent.temperature ?? undefined,
    maxOutputTokens: agent.options.maxOutputTokens,
    reasoning: agent.options.reasoning,
    history: messages,
    summary,
    isSession: sessionId !== null,
    message,
    context: context ?? {},
    agent: { id: agent.id, name: agent.name },
    requestId: id,
  };
}

/** Covers a text and its copies in the record, the event and the response. */
const bytesPerCharacter = 4;
/** The overhead of each streamed chunk, however short it is. */
const bytesPerChunk = 128;

/** The memory that an invocation needs for its input. */
export function bytesOfInput({ message, context }: Pick<InvocationInput, 'message' | 'context'>) {
  return bytesPerCharacter * (message.length + JSON.stringify(context).length);
}
