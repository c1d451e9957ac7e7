/** Reports tool calls as metrics, and as `execute_tool` spans that follow the conventions for generative AI. */
import { SpanKind } from '@opentelemetry/api';
import type { StartedToolCall, ToolCallScope } from '../models/observer.js';
import type { StartedInvocation, Trace } from './telemetry.js';
import { type Instruments, secondsSince } from './instruments.js';
import { failSpan, truncateContent, type Tracing } from './spans.js';

/** Limits names and ids, which models choose. */
const maxNameLength = 128;

export function observeToolCalls(
  instruments: Instruments | undefined,
  tracing: Tracing | undefined,
) {
  return (
    { isPrivate }: StartedInvocation,
    parent: Trace,
    { id, name, arguments: args }: StartedToolCall,
  ): ToolCallScope => {
    const startedAt = performance.now();
    const toolName = name.slice(0, maxNameLength);
    const isCaptured = tracing?.captureContent === true && !isPrivate;
    const span = tracing?.startSpan(`execute_tool ${toolName}`, SpanKind.INTERNAL, parent);

    return {
      headers: tracing && span ? tracing.inject(span.spanContext()) : {},
      trace: span?.spanContext(),
      end: ({ outcome, text }) => {
        instruments?.toolCalls.inc({ outcome });
        instruments?.toolSeconds.observe(secondsSince(startedAt));
        if (!span) return;
        span.setAttributes({
          'gen_ai.operation.name': 'execute_tool',
          'gen_ai.tool.name': toolName,
          'gen_ai.tool.call.id': id.slice(0, maxNameLength),
          'gen_ai.tool.type': 'extension',
          'gen_ai.tool.call.arguments': isCaptured
            ? truncateContent(JSON.stringify(args))
            : undefined,
          'gen_ai.tool.call.result': isCaptured ? truncateContent(text) : undefined,
        });
        if (outcome !== 'succeeded') failSpan(span, outcome);
        span.end();
      },
    };
  };
}
