/** The times that deltas carry through the service. */
import { expect, test } from '@jest/globals';
import { createTimestampReader, timestamp } from '../../scripts/bench/streams/timestamps.js';

const delta = (ms: number) => `event: delta\ndata: {"text":"${timestamp(ms)}"}\n\n`;
const response = `${delta(12.5)}${delta(13.25)}event: done\ndata: {"response":"12.500;13.250;"}\n\n`;

test('are read once, though the last event repeats them', () => {
  expect(createTimestampReader().read(response)).toEqual([12.5, 13.25]);
});

test('are read wherever the response is cut', () => {
  for (let cut = 1; cut < response.length; cut += 1) {
    const reader = createTimestampReader();
    const read = [response.slice(0, cut), response.slice(cut)].flatMap(reader.read);
    expect(read).toEqual([12.5, 13.25]);
  }
});
