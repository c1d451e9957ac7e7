/** Calls of tools, as metrics and as `execute_tool` spans. */
import { SpanKind } from '@opentelemetry/api';
import type { StartedInvocation, StartedToolCall, ToolCallScope, Trace } from '../lib/telemetry.js';
import type { Instruments } from './instruments.js';
import { failSpan, isContentWanted, shortContent, type Spans } from './spans.js';
import { traceHeadersOf } from './trace-context.js';

/** Starts the scope of a call, as part of an invocation. */
export type StartToolCall = (
  invocation: StartedInvocation,
  parent: Trace,
  call: StartedToolCall,
) => ToolCallScope;

/** Models choose the names and ids that they call. */
const maxNameLength = 128;

export function observeToolCalls(
  instruments: Instruments | undefined,
  spans: Spans | undefined,
): StartToolCall {
  return (invocation, parent, { id, name, arguments: args }) => {
    const calledAt = performance.now();
    const toolName = name.slice(0, maxNameLength);
    const span = spans?.start(`execute_tool ${toolName}`, {
      kind: SpanKind.INTERNAL,
      parent,
      attributes: {
        'gen_ai.operation.name': 'execute_tool',
        'gen_ai.tool.name': toolName,
        'gen_ai.tool.call.id': id.slice(0, maxNameLength),
        'gen_ai.tool.type': 'extension',
      },
    });
    const isCaptured = span?.isRecording() === true && isContentWanted(spans, invocation);
    if (isCaptured) {
      span.setAttribute('gen_ai.tool.call.arguments', shortContent(JSON.stringify(args)));
    }
    return {
      headers: span ? traceHeadersOf(span.spanContext()) : {},
      end: ({ outcome, text }) => {
        instruments?.toolCalls.inc({ outcome });
        instruments?.toolSeconds.observe({}, (performance.now() - calledAt) / 1000);
        if (!span) return;
        if (isCaptured) span.setAttribute('gen_ai.tool.call.result', shortContent(text));
        if (outcome !== 'succeeded') failSpan(span, outcome);
        span.end();
      },
    };
  };
}
