/** Reports invocations as metrics, and as `invoke_agent` spans that follow the conventions for generative AI. */
import { type Span, SpanKind } from '@opentelemetry/api';
import type { InvocationEnd, StartedInvocation, Telemetry } from './telemetry.js';
import { type Instruments, secondsSince } from './instruments.js';
import { createLabelSlots, other } from './label-slots.js';
import { isCount, observeModelCalls, splitModelName, type TokenCounts } from './model-calls.js';
import { failSpan, type Tracing } from './spans.js';
import { observeToolCalls } from './tool-calls.js';

/** Limits the series: each labelled agent has up to seven. */
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
    const span = tracing?.startSpan(
      `invoke_agent ${agent.name}`,
      SpanKind.INTERNAL,
      invocation.trace,
    );
    const usage: TokenCounts = { input: 0, output: 0 };
    const trace = span?.spanContext();
    return {
      trace,
      get headers() {
        return tracing && trace ? tracing.inject(trace) : {};
      },
      modelCall: (call) => startModelCall(invocation, trace, call, usage),
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
        if (span) endSpan(span, invocation, end, usage);
      },
    };
  };
}

function endSpan(
  span: Span,
  invocation: StartedInvocation,
  end: InvocationEnd,
  { input, output }: TokenCounts,
): void {
  if (span.isRecording()) {
    const { requestId, agent, sessionId, mode, isPrivate } = invocation;
    const { provider, model } = splitModelName(agent.model);
    const answeredBy = end?.status === 'succeeded' ? splitModelName(end.model).model : undefined;
    span.setAttributes({
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.provider.name': provider,
      'gen_ai.request.model': model,
      'gen_ai.response.model': answeredBy,
      'gen_ai.agent.id': agent.id,
      'gen_ai.agent.name': agent.name,
      'gen_ai.conversation.id': isPrivate ? undefined : (sessionId ?? undefined),
      'gen_ai.usage.input_tokens': isCount(input) ? input : undefined,
      'gen_ai.usage.output_tokens': isCount(output) ? output : undefined,
      'agent_hosting.usage.total_tokens': end?.tokensUsed ?? undefined,
      'agent_hosting.invocation.mode': mode,
      'agent_hosting.request.id': requestId,
    });
    if (!end) failSpan(span, 'unrecorded');
    else if (end.status === 'failed') failSpan(span, end.code);
  }
  span.end();
}
