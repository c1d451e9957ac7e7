/**
 * A span from its start until it is sent. Serializers of the SDK take it as one of theirs; their own spans check and copy each
 * attribute, which costs several times as much, and an invocation has three spans.
 */
import {
  type Attributes,
  type HrTime,
  type Span,
  type SpanContext,
  type SpanKind,
  type SpanStatus,
  SpanStatusCode,
} from '@opentelemetry/api';
import type { InstrumentationScope } from '@opentelemetry/core';
import type { Resource } from '@opentelemetry/resources';
import type { ReadableSpan } from '@opentelemetry/sdk-trace';

/** What all spans of a process have in common. */
export interface SpanOrigin {
  resource: Resource;
  scope: InstrumentationScope;
  /** In milliseconds since the epoch, with fractions. */
  now: () => number;
  onEnd: (span: RecordedSpan) => void;
}

export interface NewSpan {
  name: string;
  kind: SpanKind;
  attributes: Attributes;
  context: SpanContext;
  parent: SpanContext | undefined;
}

const none: never[] = [];
const unset: SpanStatus = { code: SpanStatusCode.UNSET };

export class RecordedSpan implements Span, ReadableSpan {
  readonly #context: SpanContext;
  readonly #origin: SpanOrigin;
  readonly parentSpanContext?: SpanContext;
  readonly kind: SpanKind;
  /** Frozen, and of many spans: whoever serializes them does it once. */
  readonly shared: Attributes[] = [];
  readonly own: Attributes;
  readonly startMs: number;
  endMs = 0;
  name: string;
  status = unset;
  ended = false;
  readonly links = none;
  readonly events = none;
  readonly droppedAttributesCount = 0;
  readonly droppedEventsCount = 0;
  readonly droppedLinksCount = 0;

  constructor({ name, kind, attributes, context, parent }: NewSpan, origin: SpanOrigin) {
    this.name = name;
    this.kind = kind;
    this.own = {};
    this.setAttributes(attributes);
    if (parent) this.parentSpanContext = parent;
    this.startMs = origin.now();
    this.#context = context;
    this.#origin = origin;
  }

  spanContext(): SpanContext {
    return this.#context;
  }

  get attributes(): Attributes {
    return Object.assign({}, ...this.shared, this.own) as Attributes;
  }

  get resource(): Resource {
    return this.#origin.resource;
  }

  get instrumentationScope(): InstrumentationScope {
    return this.#origin.scope;
  }

  get startTime(): HrTime {
    return toHrTime(this.startMs);
  }

  get endTime(): HrTime {
    return toHrTime(this.endMs);
  }

  get duration(): HrTime {
    return toHrTime(this.endMs - this.startMs);
  }

  isRecording(): boolean {
    return !this.ended;
  }

  setAttribute(key: string, value: NonNullable<Attributes[string]>): this {
    this.own[key] = value;
    return this;
  }

  setAttributes(attributes: Attributes): this {
    if (Object.isFrozen(attributes)) this.shared.push(attributes);
    else Object.assign(this.own, attributes);
    return this;
  }

  setStatus(status: SpanStatus): this {
    this.status = status;
    return this;
  }

  updateName(name: string): this {
    this.name = name;
    return this;
  }

  end(): void {
    if (this.ended) return;
    this.ended = true;
    this.endMs = this.#origin.now();
    this.#origin.onEnd(this);
  }

  // Nothing here has events or links.
  addEvent(): this {
    return this;
  }

  addLink(): this {
    return this;
  }

  addLinks(): this {
    return this;
  }

  recordException(): void {
    failWithoutDetails(this);
  }
}

/** What was thrown may contain anything. */
function failWithoutDetails(span: RecordedSpan): void {
  span.setStatus({ code: SpanStatusCode.ERROR });
}

function toHrTime(ms: number): HrTime {
  const seconds = Math.floor(ms / 1000);
  return [seconds, Math.round((ms - seconds * 1000) * 1e6)];
}
