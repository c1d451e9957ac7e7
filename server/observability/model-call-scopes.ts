/** Calls of models, as metrics and as `chat` spans. */
import { type Attributes, type Span, SpanKind } from '@opentelemetry/api';
import type {
  ModelCallOutcome,
  ModelCallScope,
  ModelUsage,
  StartedInvocation,
  StartedModelCall,
  Trace,
  TraceHeaders,
} from '../lib/telemetry.js';
import type { Instruments } from './instruments.js';
import { createLabelSlots, other } from './label-slots.js';
import { failSpan, isContentWanted, remembered, shortContent, type Spans } from './spans.js';
import { traceHeadersOf } from './trace-context.js';

/** Each model that has a name of its own in the metrics has up to seven series. */
const modelSlots = { max: 50, maxPerOwner: 10 };

interface ModelLabel {
  provider: string;
  model: string;
}

/** Starts the scope of a call, as part of an invocation. */
export type StartModelCall = (
  invocation: StartedInvocation,
  parent: Trace,
  call: StartedModelCall,
) => ModelCallScope;

export function observeModelCalls(
  instruments: Instruments | undefined,
  spans: Spans | undefined,
): StartModelCall {
  const labelOf = createLabelSlots<ModelLabel>(modelSlots, { provider: other, model: other });

  const countFor =
    ({ agent }: StartedInvocation, { model }: StartedModelCall): CountModelCall =>
    (outcome, usage, seconds) => {
      if (!instruments) return;
      const label = labelOf(agent.accountId, model, () => modelNames(model));
      instruments.modelCalls.inc({ ...label, outcome });
      instruments.modelSeconds.observe({ provider: label.provider }, seconds);
      countTokens(instruments, label, usage);
    };

  return (invocation, parent, call) => {
    const count = countFor(invocation, call);
    const span = spans && startSpan(spans, call, parent);
    return span?.isRecording() === true && isContentWanted(spans, invocation)
      ? new CapturedModelCall(count, span, call)
      : new ObservedModelCall(count, span);
  };
}

type CountModelCall = (outcome: ModelCallOutcome, usage: ModelUsage, seconds: number) => void;

class ObservedModelCall implements ModelCallScope {
  readonly #startedAt = performance.now();
  readonly #count: CountModelCall;
  readonly #span: Span | undefined;

  constructor(count: CountModelCall, span: Span | undefined) {
    this.#count = count;
    this.#span = span;
  }

  get headers(): TraceHeaders {
    return this.#span ? traceHeadersOf(this.#span.spanContext()) : {};
  }

  end(outcome: ModelCallOutcome, usage: ModelUsage): void {
    this.#count(outcome, usage, (performance.now() - this.#startedAt) / 1000);
    if (this.#span) endSpan(this.#span, outcome, usage);
  }
}

/** Its span has what was said. */
class CapturedModelCall extends ObservedModelCall {
  readonly #span: Span;
  #response = '';

  constructor(count: CountModelCall, span: Span, call: StartedModelCall) {
    super(count, span);
    this.#span = span.setAttributes(inputOf(call));
  }

  text(piece: string): void {
    this.#response = shortContent(this.#response + piece);
  }

  override end(outcome: ModelCallOutcome, usage: ModelUsage): void {
    this.#span.setAttribute('gen_ai.output.messages', messages('assistant', this.#response));
    super.end(outcome, usage);
  }
}

export function modelNames(model: string): ModelLabel {
  const slash = model.indexOf('/');
  return { provider: model.slice(0, slash), model: model.slice(slash + 1) };
}

function countTokens({ modelTokens }: Instruments, label: ModelLabel, usage: ModelUsage): void {
  const { tokensUsed, inputTokens, outputTokens } = usage;
  if (isCount(inputTokens) && isCount(outputTokens)) {
    modelTokens.inc({ ...label, type: 'input' }, inputTokens);
    modelTokens.inc({ ...label, type: 'output' }, outputTokens);
  } else if (tokensUsed > 0) {
    modelTokens.inc({ ...label, type: 'unspecified' }, tokensUsed);
  }
}

/** A provider may report anything, and a counter takes nothing that is negative. */
function isCount(tokens: number | undefined): tokens is number {
  return tokens !== undefined && Number.isSafeInteger(tokens) && tokens >= 0;
}

function startSpan(spans: Spans, { model, prompt }: StartedModelCall, parent: Trace): Span {
  return spans.start(`chat ${modelNames(model).model}`, {
    kind: SpanKind.CLIENT,
    parent,
    attributes: attributesOf(model, prompt.temperature),
  });
}

const attributesOf = remembered((name: string, temperature: number) => {
  const { provider, model } = modelNames(name);
  return Object.freeze({
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': provider,
    'gen_ai.request.model': model,
    'gen_ai.request.temperature': temperature,
  });
});

function endSpan(span: Span, outcome: ModelCallOutcome, usage: ModelUsage): void {
  const { inputTokens, outputTokens, finishReason, responseModel } = usage;
  if (isCount(inputTokens)) span.setAttribute('gen_ai.usage.input_tokens', inputTokens);
  if (isCount(outputTokens)) span.setAttribute('gen_ai.usage.output_tokens', outputTokens);
  if (finishReason !== undefined) {
    span.setAttribute('gen_ai.response.finish_reasons', [finishReason]);
  }
  if (responseModel !== undefined) {
    span.setAttribute('gen_ai.response.model', responseModel.slice(0, 160));
  }
  if (outcome !== 'succeeded') failSpan(span, outcome);
  span.end();
}

function inputOf({ prompt }: StartedModelCall): Attributes {
  const { instructions, history, message } = prompt;
  const said = history.map(({ role, content }) =>
    part(role === 'agent' ? 'assistant' : role, content),
  );
  return {
    ...(instructions === ''
      ? {}
      : {
          'gen_ai.system_instructions': shortContent(
            JSON.stringify([{ type: 'text', content: instructions }]),
          ),
        }),
    // The latest first, should it be too long for all.
    'gen_ai.input.messages': fitting([...said, part('user', message)]),
  };
}

interface MessagePart {
  role: string;
  parts: { type: 'text'; content: string }[];
}

function part(role: string, content: string): MessagePart {
  return { role, parts: [{ type: 'text', content: shortContent(content) }] };
}

function messages(role: string, content: string): string {
  return JSON.stringify([part(role, content)]);
}

const maxMessagesLength = 8_192;

/** As many of the last messages as there is room for, in JSON that stays valid. */
function fitting(all: MessagePart[]): string {
  const kept: MessagePart[] = [];
  let length = 0;
  for (const message of all.toReversed()) {
    length += JSON.stringify(message).length;
    if (length > maxMessagesLength && kept.length > 0) break;
    kept.unshift(message);
  }
  return JSON.stringify(kept);
}
