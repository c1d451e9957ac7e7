/** Opens the tools of an agent for one invocation, and reports their calls to its log and its stream. */
import type { InvocationToolCall } from '../../generated/api.js';
import type { InvocationScope } from '../telemetry/telemetry.js';
import type { Toolbox } from '../models/converse.js';
import { openTools } from '../models/tools/open-tools.js';
import type { CallOrigin, ReferenceValues, Tool } from '../models/tools/tool.js';
import { type CalledTool, createToolbox } from '../models/tools/toolbox.js';
import type { ActiveAgent } from '../agents/configurations.js';
import type { AskedRun } from './invocation.js';
import type { Journal } from './journal.js';
import type { ToolLog } from './running-log.js';
import type { StepLog } from './steps.js';

interface AgentTools {
  toolbox?: Toolbox;
  /** Closes the connections to tool servers, in the background. */
  close: () => void;
}

interface AgentToolsOptions {
  origin: CallOrigin;
  references: ReferenceValues;
  /** Those of the service itself: the agent's memory, and other agents. */
  builtIn: readonly Tool[];
  /** The invocation of another agent that a call was about. */
  askedBy: (callId: string) => AskedRun | undefined;
  /** How many the run has called in a process before. */
  callsBefore: number | undefined;
  allowPrivate: boolean;
  signal: AbortSignal;
  journal: Journal;
  toolLog: Pick<ToolLog, 'writeSoon'>;
  stepLog: Pick<StepLog, 'add'> | undefined;
  scope: InvocationScope;
  onTool: (call: InvocationToolCall) => void;
  /** Awaited before the calls of a step. */
  beforeCalls: (calls: readonly CalledTool[]) => Promise<void>;
}

/** The default of the manifest's `maxSteps`, for an agent that has only `recall`. */
const maxRecallSteps = 8;

/** Throws a ModelFailure if a tool server cannot be used. */
export async function openAgentTools(
  { accountId, options }: ActiveAgent,
  {
    origin,
    references,
    builtIn,
    askedBy,
    callsBefore,
    allowPrivate,
    signal,
    journal,
    toolLog,
    stepLog,
    scope,
    onTool,
    beforeCalls,
  }: AgentToolsOptions,
): Promise<AgentTools> {
  if (!options.tools && builtIn.length === 0) return { close: () => undefined };
  const { tools, withdrawn, close } = await openTools(
    options,
    { queueKey: accountId, allowPrivate, traceHeaders: scope.headers, references, origin },
    signal,
  );
  for (const tool of withdrawn) journal.toolWithdrawn(tool);
  const toolbox = createToolbox(
    [...tools, ...builtIn],
    { maxSteps: options.tools?.maxSteps ?? maxRecallSteps, callsBefore },
    {
      queueKey: accountId,
      conversationId: origin.requestId,
      beforeCalls,
      scope,
      onStart: ({ id, name }) => {
        onTool({ call_id: id, name, status: 'started' });
      },
      onEnd: (call) => {
        const { id, durationMs, result } = call;
        const { succeeded, text } = result;
        const asked = askedBy(id);
        journal.toolEnded(call, asked);
        stepLog?.add({ type: 'ended', id, succeeded, text, durationMs, asked: asked?.tokens });
        toolLog.writeSoon();
        const status = call.failure === undefined ? 'succeeded' : 'failed';
        onTool({ call_id: call.id, name: call.name, status, duration_ms: call.durationMs });
      },
      onInterrupted: (call) => {
        journal.toolInterrupted(call, askedBy(call.id));
        toolLog.writeSoon();
      },
      onUnknown: (name) => {
        journal.toolUnknown(name);
      },
    },
  );
  return { toolbox, close: () => void close() };
}
