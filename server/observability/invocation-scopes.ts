/** Invocations, with their calls of models and tools, as metrics and as spans of the conventions for generative AI. */
import { type Span, SpanKind } from '@opentelemetry/api';
import type {
  InvocationEnd,
  InvocationScope,
  StartedInvocation,
  Telemetry,
  ToolCallScope,
} from '../lib/telemetry.js';
import type { Instruments } from './instruments.js';
import { createLabelSlots, other } from './label-slots.js';
import { createModelCalls } from './model-call-scopes.js';
import { failSpan, shortContent, type Spans } from './spans.js';
import { traceHeadersOf } from './trace-context.js';

/** Each agent that has a name of its own in the metrics has up to seven series. */
const agentSlots = { max: 100, maxPerOwner: 20 };

export function observeInvocations(
  instruments: Instruments | undefined,
  spans: Spans | undefined,
): Telemetry['invocation'] {
  const labelOf = createLabelSlots(agentSlots, { agent: other, agent_id: other });
  const modelCalls = createModelCalls(instruments, spans);

  const count = ({ agent, mode }: StartedInvocation, end: InvocationEnd, seconds: number) => {
    if (!instruments || !end) return;
    const { id, name, accountId } = agent;
    const label = labelOf(accountId, id, () => ({ agent: name, agent_id: id }));
    const outcome = end.status === 'succeeded' ? end.status : end.code;
    instruments.invocations.inc({ ...label, outcome });
    instruments.invocationSeconds.observe({ mode }, seconds);
  };

  return (invocation): InvocationScope => {
    const startedAt = performance.now();
    const span = spans && startSpan(spans, invocation);
    const trace = span?.spanContext();
    return {
      trace,
      get headers() {
        return trace ? traceHeadersOf(trace) : {};
      },
      modelCall: modelCalls(invocation, trace),
      modelRetried: (kind) => instruments?.modelRetries.inc({ kind }),
      toolCall: ({ id, name, arguments: args }): ToolCallScope => {
        const calledAt = performance.now();
        const toolSpan = spans?.start(`execute_tool ${name.slice(0, 128)}`, {
          kind: SpanKind.INTERNAL,
          parent: trace,
          attributes: {
            'gen_ai.operation.name': 'execute_tool',
            'gen_ai.tool.name': name.slice(0, 128),
            'gen_ai.tool.call.id': id.slice(0, 128),
            'gen_ai.tool.type': 'extension',
          },
        });
        const isCaptured = toolSpan?.isRecording() === true && isContentWanted(spans, invocation);
        if (isCaptured) {
          toolSpan.setAttribute('gen_ai.tool.call.arguments', shortContent(JSON.stringify(args)));
        }
        return {
          headers: toolSpan ? traceHeadersOf(toolSpan.spanContext()) : {},
          end: ({ outcome, text }) => {
            instruments?.toolCalls.inc({ outcome });
            instruments?.toolSeconds.observe({}, (performance.now() - calledAt) / 1000);
            if (!toolSpan) return;
            if (isCaptured) toolSpan.setAttribute('gen_ai.tool.call.result', shortContent(text));
            if (outcome !== 'succeeded') failSpan(toolSpan, outcome);
            toolSpan.end();
          },
        };
      },
      end: (end) => {
        count(invocation, end, (performance.now() - startedAt) / 1000);
        if (span) endSpan(span, end);
      },
    };
  };
}

/** What a caller does not want to be remembered is not in a trace either. */
export function isContentWanted(
  spans: Spans | undefined,
  { isPrivate }: StartedInvocation,
): boolean {
  return spans?.captureContent === true && !isPrivate;
}

function startSpan(spans: Spans, invocation: StartedInvocation): Span {
  const { requestId, agent, sessionId, mode, trace, isPrivate } = invocation;
  const slash = agent.model.indexOf('/');
  return spans.start(`invoke_agent ${agent.name}`, {
    kind: SpanKind.INTERNAL,
    parent: trace,
    attributes: {
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.provider.name': agent.model.slice(0, slash),
      'gen_ai.request.model': agent.model.slice(slash + 1),
      'gen_ai.agent.id': agent.id,
      'gen_ai.agent.name': agent.name,
      ...(sessionId === null || isPrivate ? {} : { 'gen_ai.conversation.id': sessionId }),
      'agent_hosting.request.id': requestId,
      'agent_hosting.invocation.mode': mode,
    },
  });
}

function endSpan(span: Span, end: InvocationEnd): void {
  if (!end) failSpan(span, 'unrecorded');
  else if (end.status === 'failed') failSpan(span, end.code);
  else {
    const slash = end.model.indexOf('/');
    span.setAttribute('gen_ai.response.model', end.model.slice(slash + 1));
  }
  const tokensUsed = end?.tokensUsed ?? null;
  if (tokensUsed !== null) span.setAttribute('agent_hosting.usage.total_tokens', tokensUsed);
  span.end();
}
