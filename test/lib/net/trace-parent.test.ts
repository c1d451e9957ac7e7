/** The trace context of stored events and invocations; only valid values continue a trace. */
import { expect, test } from '@jest/globals';
import { formatTraceParent, parseTraceParent } from '../../../server/lib/net/trace-parent.js';

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const spanId = '00f067aa0ba902b7';

test('a written context can be read back', () => {
  const context = { traceId, spanId, traceFlags: 1 };
  expect(parseTraceParent(formatTraceParent(context))).toEqual({ ...context, isRemote: true });
});

test.each([
  ['nothing', null],
  ['a trace id of zeros', `00-${'0'.repeat(32)}-${spanId}-01`],
  ['a parent id of zeros', `00-${traceId}-${'0'.repeat(16)}-01`],
  ['the version ff', `ff-${traceId}-${spanId}-01`],
  ['capital letters', `00-${traceId.toUpperCase()}-${spanId}-01`],
  ['letters that are not hexadecimal digits', `00-${'z'.repeat(32)}-${spanId}-01`],
])('%s is not a trace context', (_what, text) => {
  expect(parseTraceParent(text)).toBeUndefined();
});
