/** Reports invocations: metrics, and `invoke_agent` spans by the conventions for generative AI. */
import { type Span, SpanKind } from '@opentelemetry/api';
import type { InvocationEnd, StartedInvocation, Telemetry } from '../lib/telemetry.js';
import { type Instruments, secondsSince } from './instruments.js';
import { createLabelSlots, other } from './label-slots.js';
import { modelNames, observeModelCalls } from './model-calls.js';
import { failSpan, type Tracing } from './spans.js';
import { observeToolCalls } from './tool-calls.js';

/** Each agent with a name of its own in the metrics has up to seven series. */
const agentSlots = { max: 100, maxPerOwner: 20 };

export function observeInvocations(
  instruments: Instruments | undefined,
  tracing: Tracing | undefined,
): Telemetry['invocation'] {
  const labelOf = createLabelSlots(agentSlots, { agent: other, agent_id: other });
  const startModelCall = observeModelCalls(instruments, tracing);
  const startToolCall = observeToolCalls(instruments, tracing);

  return (invocation) => {
    const { agent, mode } = invocation;
    const startedAt = performance.now();
    const span = tracing && startSpan(tracing, invocation);
    const trace = span?.spanContext();
    return {
      trace,
      get headers() {
        return tracing && trace ? tracing.inject(trace) : {};
      },
      modelCall: (call) => startModelCall(invocation, trace, call),
      modelRetried: (kind) => instruments?.modelRetries.inc({ kind }),
      toolCall: (call) => startToolCall(invocation, trace, call),
      end: (end) => {
        if (instruments && end) {
          const { id, name, accountId } = agent;
          const label = labelOf(accountId, id, () => ({ agent: name, agent_id: id }));
          const outcome = end.status === 'succeeded' ? end.status : end.code;
          instruments.invocations.inc({ ...label, outcome });
          instruments.invocationSeconds.observe({ mode }, secondsSince(startedAt));
        }
        if (span) endSpan(span, end);
      },
    };
  };
}

function startSpan(tracing: Tracing, invocation: StartedInvocation): Span {
  const { requestId, agent, sessionId, mode, trace, isPrivate } = invocation;
  const { provider, model } = modelNames(agent.model);
  const attributes = {
    'gen_ai.operation.name': 'invoke_agent',
    'gen_ai.provider.name': provider,
    'gen_ai.request.model': model,
    'gen_ai.agent.id': agent.id,
    'gen_ai.agent.name': agent.name,
    ...(sessionId !== null && !isPrivate && { 'gen_ai.conversation.id': sessionId }),
    'agent_hosting.invocation.mode': mode,
    'agent_hosting.request.id': requestId,
  };
  return tracing.startSpan(
    `invoke_agent ${agent.name}`,
    { kind: SpanKind.INTERNAL, attributes },
    trace,
  );
}

function endSpan(span: Span, end: InvocationEnd): void {
  if (!end) failSpan(span, 'unrecorded');
  else if (end.status === 'failed') failSpan(span, end.code);
  else span.setAttribute('gen_ai.response.model', modelNames(end.model).model);
  const tokensUsed = end?.tokensUsed ?? null;
  if (tokensUsed !== null) span.setAttribute('agent_hosting.usage.total_tokens', tokensUsed);
  span.end();
}
