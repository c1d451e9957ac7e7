/** Calls the model of an agent, or its fallbacks, with its history, tools and budget. */
import type { InvocationEvent, InvocationToolCall, PendingApproval } from '../../generated/api.js';
import type { BudgetCounters } from '../accounts/budgets.js';
import type { ActiveAgent } from '../agents/configurations.js';
import type { ClientDisconnected, ServiceError } from '../contract/errors.js';
import { abortReason } from '../lib/async/abort.js';
import type { Reservation } from '../lib/async/bytes-in-flight.js';
import { currentTime } from '../lib/time/clock.js';
import { parseDuration } from '../lib/time/duration.js';
import type { OpenRecall } from '../memory/recall.js';
import type { ModelCandidate } from '../models/call-model.js';
import { converse, type WaitingCall } from '../models/converse.js';
import type { Prompt, TokenUsage } from '../models/model.js';
import { addTokens, noTokens, type Tokens } from '../models/token-usage.js';
import type { Models } from '../models/models.js';
import type { ReferenceValues } from '../models/tools/tool.js';
import type { InvocationScope } from '../telemetry/telemetry.js';
import { type AskAgent, createAskingTools } from './asking.js';
import { openBudgetMeter, settleAfter } from './budget.js';
import { CannotWait } from './failure.js';
import { type History, historyOf } from './history.js';
import { Interruption, type RunControl } from './interruption.js';
import type { Completion, InvocationInput } from './invocation.js';
import type { Journal } from './journal.js';
import type { HistoryMessage } from './sessions/history.sql.js';
import type { ToolLog } from './running-log.js';
import { beginningOf, type CommittedRun, type StepLog } from './steps.js';
import { openAgentTools } from './tools.js';

export interface AgentCallParts {
  models: Models;
  budgets: BudgetCounters;
  /** For development: tools may use plain http and private addresses. */
  allowPrivateTargets: boolean;
  openRecall: OpenRecall;
  ask: AskAgent;
}

/** Receives the events of a streamed invocation, except for the final one. */
export interface EventReceiver {
  push: (event: InvocationEvent) => void;
  /** Awaited before a completion is recorded; fails the invocation if it rejects. */
  flush?: () => Promise<void>;
  /** Awaited before a failure is recorded; never rejects. */
  storeError?: (error: ServiceError | ClientDisconnected) => Promise<void>;
}

export interface AgentCallOptions {
  control: RunControl;
  /** Covers the invocation until its response is recorded and sent. */
  memory: Reservation;
  /** Counts an attempt at an asynchronous invocation. Resolves to false if another worker has taken it over. */
  begin?: (() => Promise<boolean>) | undefined;
  events?: EventReceiver | undefined;
  /** Whether a provider's rate limit is waited for until the deadline; otherwise only by an asynchronous invocation. */
  isPatient?: boolean;
  /** What is committed of the run already. */
  committed?: CommittedRun | undefined;
  /** What its tools get of the request. */
  references: ReferenceValues;
}

/** The state of a run in progress. */
export interface RunProgress {
  journal: Journal;
  toolLog: ToolLog;
  /** Undefined if nobody could go on with the run. */
  stepLog: StepLog | undefined;
  scope: InvocationScope;
  tokensUsed: number | null;
  /** By kind. */
  usage: TokenUsage;
  /** What the agents that it asked have used. */
  asked: Tokens;
  /** An estimate of what models do not report, which counts for budgets only. */
  unreportedTokens: number;
  /** Earlier turns that the provider did not take. */
  turnsLeftOut: number;
  /** Whether tools were called. */
  hasActed: boolean;
}

interface AgentCall {
  parts: AgentCallParts;
  invocation: InvocationInput;
  /** The earlier messages of the session, oldest first. */
  history: readonly HistoryMessage[];
  options: AgentCallOptions;
  progress: RunProgress;
}

export async function callAgent({
  parts: { models, budgets, allowPrivateTargets, openRecall, ask },
  invocation,
  history,
  options: { control, memory, begin, events, committed, references, ...options },
  progress,
}: AgentCall): Promise<Completion> {
  const { agent, accountId, agentId, userId, sessionId, environment, message, createdAt } =
    invocation;
  const { journal, toolLog, stepLog, scope } = progress;
  const { signal, deadline } = control;
  const reserve = (bytes: number) => {
    if (memory.grow(bytes)) return;
    control.interrupt('overloaded');
    throw abortReason(signal);
  };
  const earlier = historyOf(history, agent);
  const prompt = promptOf({ ...invocation, message: committed?.message ?? message }, earlier);
  for (const { content } of earlier.messages) reserve(bytesPerCharacter * content.length);
  if ((await begin?.()) === false) throw new Interruption('work_lost');
  journal.modelCalled(Math.max(0, currentTime() - createdAt.getTime()));
  const onTool = (data: InvocationToolCall) => {
    events?.push({ event: 'tool', data });
  };
  const whose = { accountId, agentId, userId, sessionId, environment };
  // No client waits for an asynchronous invocation.
  const isPatient = begin !== undefined || options.isPatient === true;
  const recall = agent.options.recall ? openRecall(whose) : undefined;
  const { agents = [], maxResult } = agent.options.tools ?? {};
  progress.asked = committed?.asked ?? noTokens;
  const asking = createAskingTools(
    agents,
    { invocation, control, isPatient, references },
    {
      ask,
      maxResult,
      onTokens: (tokens) => {
        progress.asked = addTokens(progress.asked, tokens);
      },
    },
  );
  const tools = await openAgentTools(agent, {
    origin: { requestId: invocation.id, userId, sessionId },
    references,
    builtIn: [...(recall ? [recall] : []), ...asking.tools],
    askedBy: asking.runOf,
    callsBefore: committed?.callsBefore,
    allowPrivate: allowPrivateTargets,
    signal,
    journal,
    toolLog,
    stepLog,
    scope,
    onTool,
    beforeCalls: async (calls) => {
      if (control.isHandingOver) {
        // Without steps the run starts over, as long as it has not acted.
        if (stepLog) await toolLog.commit();
        throw new Interruption('stopping');
      }
      await toolLog.begin(calls);
      progress.hasActed ||= calls.some(({ hasEffect }) => hasEffect);
    },
  });
  progress.tokensUsed = committed?.hasActed ? committed.conversation.tokensUsed : null;
  progress.usage = committed?.conversation.usage ?? {};
  const budget = openBudgetMeter(
    budgets,
    agent,
    () => (progress.tokensUsed ?? 0) + progress.unreportedTokens,
  );
  let response = '';
  const conversation = converse(candidatesOf(agent, models), prompt, {
    queueKey: accountId,
    signal,
    deadline,
    toolbox: tools.toolbox,
    outputSchema: agent.options.output?.schema,
    earlier: committed?.conversation,
    onEarlierReply: (index) => {
      for (const { id: call_id, name, succeeded, durationMs } of committed?.ended[index] ?? []) {
        onTool({ call_id, name, status: 'started' });
        const status = succeeded ? 'succeeded' : 'failed';
        onTool({ call_id, name, status, duration_ms: durationMs });
      }
    },
    beforeModelCall: () => {
      if (control.isHandingOver) throw new Interruption('stopping');
    },
    onRequest: ({ reply, text, calls }, { tokensUsed, usage }) => {
      if (stepLog?.isEmpty) stepLog.add(beginningOf(invocation, references));
      const { elapsedMs } = control;
      stepLog?.add({ type: 'replied', reply, text, calls, tokensUsed, usage, elapsedMs });
    },
    beforeCall: budget?.beforeCall,
    isPatient,
    scope,
    onRetry: (retry) => {
      journal.retried(retry);
    },
    onFallback: (fallback) => {
      journal.fellBack(fallback);
    },
    onNextCall: (next) => {
      journal.modelCalledAgain(next);
    },
    onTokens: (known) => {
      progress.tokensUsed = known;
    },
    onUsage: (usage) => {
      progress.usage = usage;
    },
    onUnreportedTokens: (estimate) => {
      progress.unreportedTokens += estimate;
    },
    onSettingChanged: (change) => {
      journal.settingChanged(change);
    },
    onLeftOut: (leftOut) => {
      progress.turnsLeftOut = leftOut.turns;
      journal.leftOut(leftOut);
    },
    onCallsWithheld: (withheld) => {
      journal.callsWithheld(withheld);
    },
    onStepLimit: (maxSteps) => {
      journal.stepLimitReached(maxSteps);
    },
    countReceived: reserve,
    onText: (text) => {
      reserve(bytesPerChunk + bytesPerCharacter * text.length);
      response += text;
      events?.push({ event: 'delta', data: { text } });
    },
  }).finally(tools.close);
  const { waiting, ...answer } = await settleAfter(conversation, budget);
  const approvals = approvalsOf(waiting, agent);
  if (approvals.length > 0) {
    if (invocation.asked) throw new CannotWait(approvals.map(({ tool }) => tool));
    stepLog?.add({ type: 'paused', approvals });
    await toolLog.commit();
    progress.hasActed = true;
  }
  return { ...answer, approvals, response };
}

/** For how long a decision is awaited, unless the manifest sets `approvalTimeout`. */
const defaultApprovalTimeoutMs = 24 * 60 * 60 * 1000;

function approvalsOf(
  waiting: readonly WaitingCall[],
  { options: { approvalTimeout } }: ActiveAgent,
): PendingApproval[] {
  const timeoutMs = parseDuration(approvalTimeout ?? '') ?? defaultApprovalTimeoutMs;
  const expires_at = new Date(currentTime() + timeoutMs).toISOString();
  return waiting.map(({ id: call_id, ...call }) => ({ call_id, ...call, expires_at }));
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

/** The models that the invocation may call: its own, then its fallbacks. */
export function candidatesOf(
  { model, endpoint, options: { fallbacks = [] } }: ActiveAgent,
  models: Models,
): [ModelCandidate, ...ModelCandidate[]] {
  const candidate = (name: string) => ({
    name,
    open: () => models.open({ model: name, endpoint }),
    limiter: models.limiterOf(name),
  });
  return [candidate(model), ...fallbacks.map(candidate)];
}
