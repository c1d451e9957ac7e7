/** Invocations, as metrics and as spans of the conventions for generative AI. */
import { type Span, SpanKind } from '@opentelemetry/api';
import type {
  InvocationEnd,
  InvocationScope,
  ModelCallScope,
  StartedInvocation,
  StartedModelCall,
  StartedToolCall,
  Telemetry,
  ToolCallScope,
  Trace,
  TraceHeaders,
} from '../lib/telemetry.js';
import type { Instruments } from './instruments.js';
import { createLabelSlots, other } from './label-slots.js';
import { modelNames, observeModelCalls, type StartModelCall } from './model-call-scopes.js';
import { failSpan, remembered, type Spans } from './spans.js';
import { observeToolCalls, type StartToolCall } from './tool-call-scopes.js';
import { traceHeadersOf } from './trace-context.js';

/** Each agent that has a name of its own in the metrics has up to seven series. */
const agentSlots = { max: 100, maxPerOwner: 20 };

export function observeInvocations(
  instruments: Instruments | undefined,
  spans: Spans | undefined,
): Telemetry['invocation'] {
  const labelOf = createLabelSlots(agentSlots, { agent: other, agent_id: other });

  const count: CountInvocation = ({ agent, mode }, end, seconds) => {
    if (!instruments || !end) return;
    const { id, name, accountId } = agent;
    const label = labelOf(accountId, id, () => ({ agent: name, agent_id: id }));
    const outcome = end.status === 'succeeded' ? end.status : end.code;
    instruments.invocations.inc({ ...label, outcome });
    instruments.invocationSeconds.observe({ mode }, seconds);
  };
  const startModelCall = observeModelCalls(instruments, spans);
  const startToolCall = observeToolCalls(instruments, spans);
  const observers = { instruments, spans, count, startModelCall, startToolCall };
  return (invocation) => new ObservedInvocation(invocation, observers);
}

type CountInvocation = (invocation: StartedInvocation, end: InvocationEnd, seconds: number) => void;

interface Observers {
  instruments: Instruments | undefined;
  spans: Spans | undefined;
  count: CountInvocation;
  startModelCall: StartModelCall;
  startToolCall: StartToolCall;
}

class ObservedInvocation implements InvocationScope {
  readonly #startedAt = performance.now();
  readonly #invocation: StartedInvocation;
  readonly #observers: Observers;
  readonly #span: Span | undefined;

  constructor(invocation: StartedInvocation, observers: Observers) {
    this.#invocation = invocation;
    this.#observers = observers;
    this.#span = observers.spans && startSpan(observers.spans, invocation);
  }

  get trace(): Trace {
    return this.#span?.spanContext();
  }

  get headers(): TraceHeaders {
    return this.#span ? traceHeadersOf(this.#span.spanContext()) : {};
  }

  modelCall(call: StartedModelCall): ModelCallScope {
    return this.#observers.startModelCall(this.#invocation, this.trace, call);
  }

  modelRetried(kind: 'retry' | 'fallback'): void {
    this.#observers.instruments?.modelRetries.inc({ kind });
  }

  toolCall(call: StartedToolCall): ToolCallScope {
    return this.#observers.startToolCall(this.#invocation, this.trace, call);
  }

  end(end: InvocationEnd): void {
    this.#observers.count(this.#invocation, end, (performance.now() - this.#startedAt) / 1000);
    if (this.#span) endSpan(this.#span, end);
  }
}

function startSpan(spans: Spans, invocation: StartedInvocation): Span {
  const { requestId, agent, sessionId, mode, trace, isPrivate } = invocation;
  const span = spans.start(`invoke_agent ${agent.name}`, {
    kind: SpanKind.INTERNAL,
    parent: trace,
    attributes: attributesOf(agent.id, agent.name, agent.model, mode),
  });
  span.setAttribute('agent_hosting.request.id', requestId);
  if (sessionId !== null && !isPrivate) span.setAttribute('gen_ai.conversation.id', sessionId);
  return span;
}

const attributesOf = remembered((id: string, name: string, fullModel: string, mode: string) => {
  const { provider, model } = modelNames(fullModel);
  return Object.freeze({
    'gen_ai.operation.name': 'invoke_agent',
    'gen_ai.provider.name': provider,
    'gen_ai.request.model': model,
    'gen_ai.agent.id': id,
    'gen_ai.agent.name': name,
    'agent_hosting.invocation.mode': mode,
  });
});

function endSpan(span: Span, end: InvocationEnd): void {
  if (!end) failSpan(span, 'unrecorded');
  else if (end.status === 'failed') failSpan(span, end.code);
  else {
    span.setAttribute('gen_ai.response.model', modelNames(end.model).model);
  }
  const tokensUsed = end?.tokensUsed ?? null;
  if (tokensUsed !== null) span.setAttribute('agent_hosting.usage.total_tokens', tokensUsed);
  span.end();
}
