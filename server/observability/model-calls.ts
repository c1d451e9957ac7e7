/** Reports calls of models: metrics, and `chat` spans by the conventions for generative AI. */
import { type Span, SpanKind } from '@opentelemetry/api';
import type {
  ModelCallOutcome,
  ModelCallScope,
  ModelUsage,
  StartedInvocation,
  StartedModelCall,
  Trace,
} from '../lib/telemetry.js';
import { type Instruments, secondsSince } from './instruments.js';
import { createLabelSlots, other } from './label-slots.js';
import { inputAttributes, outputAttributes } from './message-content.js';
import { failSpan, shortContent, type Tracing } from './spans.js';

/** Each model with a name of its own in the metrics has up to seven series. */
const modelSlots = { max: 50, maxPerOwner: 10 };

interface ModelLabel {
  provider: string;
  model: string;
}

export function observeModelCalls(
  instruments: Instruments | undefined,
  tracing: Tracing | undefined,
) {
  const labelOf = createLabelSlots<ModelLabel>(modelSlots, { provider: other, model: other });

  return (
    { agent, isPrivate }: StartedInvocation,
    parent: Trace,
    call: StartedModelCall,
  ): ModelCallScope => {
    const startedAt = performance.now();
    const span = tracing && startSpan(tracing, call, parent);
    const count = (outcome: ModelCallOutcome, usage: ModelUsage) => {
      if (!instruments) return;
      const label = labelOf(agent.accountId, call.model, () => modelNames(call.model));
      instruments.modelCalls.inc({ ...label, outcome });
      instruments.modelSeconds.observe({ provider: label.provider }, secondsSince(startedAt));
      countTokens(instruments, label, usage);
    };
    const isCaptured = tracing?.captureContent === true && !isPrivate;
    const content =
      isCaptured && span?.isRecording() === true ? captureContent(span, call) : undefined;
    return {
      get headers() {
        return tracing && span ? tracing.inject(span.spanContext()) : {};
      },
      ...(content && { text: content.add }),
      end: (outcome, usage) => {
        count(outcome, usage);
        content?.end();
        if (span) endSpan(span, outcome, usage);
      },
    };
  };
}

/** Adds what is said to the span. */
function captureContent(span: Span, { prompt }: StartedModelCall) {
  span.setAttributes(inputAttributes(prompt));
  let response = '';
  return {
    add: (piece: string) => {
      response = shortContent(response + piece);
    },
    end: () => {
      span.setAttributes(outputAttributes(response));
    },
  };
}

/** A model's name in the service is `provider/model`. */
export function modelNames(name: string): ModelLabel {
  const slash = name.indexOf('/');
  return { provider: name.slice(0, slash), model: name.slice(slash + 1) };
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

/** A provider may report anything, but a counter cannot decrease. */
function isCount(tokens: number | undefined): tokens is number {
  return tokens !== undefined && Number.isSafeInteger(tokens) && tokens >= 0;
}

function startSpan(tracing: Tracing, { model: name, prompt }: StartedModelCall, parent: Trace) {
  const { provider, model } = modelNames(name);
  const attributes = {
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': provider,
    'gen_ai.request.model': model,
    'gen_ai.request.temperature': prompt.temperature,
  };
  return tracing.startSpan(`chat ${model}`, { kind: SpanKind.CLIENT, attributes }, parent);
}

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
