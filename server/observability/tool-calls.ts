/** Reports calls of tools: metrics, and `execute_tool` spans by the conventions for generative AI. */
import { SpanKind } from '@opentelemetry/api';
import type { StartedInvocation, StartedToolCall, ToolCallScope, Trace } from './telemetry.js';
import { type Instruments, secondsSince } from './instruments.js';
import { failSpan, shortContent, type Tracing } from './spans.js';

/** Models choose the names and ids that they call. */
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
      end: ({ outcome, text }) => {
        instruments?.toolCalls.inc({ outcome });
        instruments?.toolSeconds.observe(secondsSince(startedAt));
        if (!span) return;
        span.setAttributes({
          'gen_ai.operation.name': 'execute_tool',
          'gen_ai.tool.name': toolName,
          'gen_ai.tool.call.id': id.slice(0, maxNameLength),
          'gen_ai.tool.type': 'extension',
          'gen_ai.tool.call.arguments': isCaptured ? shortContent(JSON.stringify(args)) : undefined,
          'gen_ai.tool.call.result': isCaptured ? shortContent(text) : undefined,
        });
        if (outcome !== 'succeeded') failSpan(span, outcome);
        span.end();
      },
    };
  };
}
