/** Calls of models, as metrics and as `chat` spans. */
import { type Attributes, type Span, SpanKind } from '@opentelemetry/api';
import type {
  InvocationScope,
  ModelCallOutcome,
  ModelCallScope,
  ModelUsage,
  StartedInvocation,
  StartedModelCall,
  Trace,
} from '../lib/telemetry.js';
import type { Instruments } from './instruments.js';
import { createLabelSlots, other } from './label-slots.js';
import { failSpan, shortContent, type Spans } from './spans.js';
import { traceHeadersOf } from './trace-context.js';

/** Each model that has a name of its own in the metrics has up to seven series. */
const modelSlots = { max: 50, maxPerOwner: 10 };

interface ModelLabel {
  provider: string;
  model: string;
}

export function createModelCalls(
  instruments: Instruments | undefined,
  spans: Spans | undefined,
): (invocation: StartedInvocation, parent: Trace) => InvocationScope['modelCall'] {
  const labelOf = createLabelSlots<ModelLabel>(modelSlots, { provider: other, model: other });

  const count = (
    { agent: { accountId } }: StartedInvocation,
    model: string,
    outcome: ModelCallOutcome,
    usage: ModelUsage,
    seconds: number,
  ) => {
    if (!instruments) return;
    const label = labelOf(accountId, model, () => namesOf(model));
    instruments.modelCalls.inc({ ...label, outcome });
    instruments.modelSeconds.observe({ provider: label.provider }, seconds);
    countTokens(instruments, label, usage);
  };

  return (invocation, parent) => (call) => {
    const startedAt = performance.now();
    const span = spans && startSpan(spans, call, parent);
    const isCaptured =
      span?.isRecording() === true && spans?.captureContent === true && !invocation.isPrivate;
    if (isCaptured) span.setAttributes(inputOf(call));
    let response = '';
    const scope: ModelCallScope = {
      get headers() {
        return span ? traceHeadersOf(span.spanContext()) : {};
      },
      end: (outcome, usage) => {
        count(invocation, call.model, outcome, usage, (performance.now() - startedAt) / 1000);
        if (!span) return;
        if (isCaptured)
          span.setAttribute('gen_ai.output.messages', messages('assistant', response));
        endSpan(span, outcome, usage);
      },
    };
    if (isCaptured) {
      scope.text = (piece) => {
        response = shortContent(response + piece);
      };
    }
    return scope;
  };
}

function namesOf(model: string): ModelLabel {
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

function startSpan(spans: Spans, { model: name, prompt }: StartedModelCall, parent: Trace): Span {
  const { provider, model } = namesOf(name);
  return spans.start(`chat ${model}`, {
    kind: SpanKind.CLIENT,
    parent,
    attributes: {
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': provider,
      'gen_ai.request.model': model,
      'gen_ai.request.temperature': prompt.temperature,
    },
  });
}

function endSpan(span: Span, outcome: ModelCallOutcome, usage: ModelUsage): void {
  const { inputTokens, outputTokens, finishReason, responseModel } = usage;
  span.setAttributes({
    ...(isCount(inputTokens) ? { 'gen_ai.usage.input_tokens': inputTokens } : {}),
    ...(isCount(outputTokens) ? { 'gen_ai.usage.output_tokens': outputTokens } : {}),
    ...(finishReason === undefined ? {} : { 'gen_ai.response.finish_reasons': [finishReason] }),
    ...(responseModel === undefined
      ? {}
      : { 'gen_ai.response.model': responseModel.slice(0, 160) }),
  });
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
