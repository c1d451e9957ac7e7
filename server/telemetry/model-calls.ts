/** Reports model calls as metrics, and as `chat` spans that follow the conventions for generative AI. */
import { type Attributes, type Span, SpanKind } from '@opentelemetry/api';
import type {
  CalledProvider,
  ModelCallOutcome,
  ModelCallScope,
  ModelUsage,
  StartedModelCall,
} from '../models/observer.js';
import type { StartedInvocation, Trace } from './telemetry.js';
import { type Instruments, secondsSince } from './instruments.js';
import { createLabelSlots, other } from './label-slots.js';
import { failSpan, serverAttributes, truncateContent, type Tracing } from './spans.js';

/** Limits the series: each labelled model has up to seven. */
const modelSlots = { max: 50, maxPerOwner: 10 };

interface ModelLabel {
  provider: string;
  model: string;
}

/** The totals of all calls of an invocation; NaN if a call does not report them. */
export interface TokenCounts {
  input: number;
  output: number;
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
    total: TokenCounts,
  ): ModelCallScope => {
    const startedAt = performance.now();
    const name = splitModelName(call.model).model;
    const span = tracing?.startSpan(`chat ${name}`, SpanKind.CLIENT, parent);
    const count = (outcome: ModelCallOutcome, usage: ModelUsage) => {
      if (!instruments) return;
      const label = labelOf(agent.accountId, call.model, () => splitModelName(call.model));
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
      end: (outcome, usage, provider) => {
        count(outcome, usage);
        const missingCount = usage.tokensUsed > 0 ? NaN : 0;
        total.input += usage.inputTokens ?? missingCount;
        total.output += usage.outputTokens ?? missingCount;
        content?.end();
        if (span) endSpan(span, call, outcome, usage, provider);
      },
    };
  };
}

/** Adds the messages to the span. */
function captureContent(span: Span, { prompt }: StartedModelCall) {
  span.setAttributes(inputAttributes(prompt));
  let response = '';
  return {
    add: (piece: string) => {
      response = truncateContent(response + piece);
    },
    end: () => {
      span.setAttributes(outputAttributes(response));
    },
  };
}

/** Splits `provider/model`. */
export function splitModelName(name: string): ModelLabel {
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

/** Providers may report invalid numbers, but a counter must not decrease. */
export function isCount(tokens: number | undefined): tokens is number {
  return tokens !== undefined && Number.isSafeInteger(tokens) && tokens >= 0;
}

function endSpan(
  span: Span,
  call: StartedModelCall,
  outcome: ModelCallOutcome,
  { inputTokens, outputTokens, finishReason, responseModel }: ModelUsage,
  { server, status }: CalledProvider,
): void {
  if (span.isRecording()) {
    const { provider, model } = splitModelName(call.model);
    span.setAttributes({
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': provider,
      'gen_ai.request.model': model,
      'gen_ai.request.temperature': call.prompt.temperature,
      'gen_ai.response.model': responseModel?.slice(0, 160),
      'gen_ai.response.finish_reasons': finishReason === undefined ? undefined : [finishReason],
      'gen_ai.usage.input_tokens': isCount(inputTokens) ? inputTokens : undefined,
      'gen_ai.usage.output_tokens': isCount(outputTokens) ? outputTokens : undefined,
      'http.response.status_code': status,
      ...serverAttributes(server),
    });
    if (outcome !== 'succeeded') failSpan(span, errorType(outcome, status));
  }
  span.end();
}

/** Follows the HTTP conventions: the status if it is an error. */
function errorType(outcome: ModelCallOutcome, status: number | undefined): string {
  return status !== undefined && status >= 400 ? String(status) : outcome;
}

const maxMessagesLength = 8_192;

/** The texts of a call, in the JSON of the conventions. */
function inputAttributes({
  instructions,
  history,
  message,
}: StartedModelCall['prompt']): Attributes {
  const earlier = history.map(({ role, content }) =>
    textMessage(role === 'agent' ? 'assistant' : role, content),
  );
  const system = JSON.stringify([{ type: 'text', content: instructions }]);
  return {
    ...(instructions !== '' && { 'gen_ai.system_instructions': truncateContent(system) }),
    'gen_ai.input.messages': latestAsJson([...earlier, textMessage('user', message)]),
  };
}

function outputAttributes(response: string): Attributes {
  return { 'gen_ai.output.messages': JSON.stringify([textMessage('assistant', response)]) };
}

interface TextMessage {
  role: string;
  parts: { type: 'text'; content: string }[];
}

function textMessage(role: string, content: string): TextMessage {
  return { role, parts: [{ type: 'text', content: truncateContent(content) }] };
}

/** Keeps the latest messages that fit: truncating the text would break the JSON. */
function latestAsJson(messages: TextMessage[]): string {
  const kept: TextMessage[] = [];
  let length = 0;
  for (const message of messages.toReversed()) {
    length += JSON.stringify(message).length;
    if (length > maxMessagesLength && kept.length > 0) break;
    kept.unshift(message);
  }
  return JSON.stringify(kept);
}
