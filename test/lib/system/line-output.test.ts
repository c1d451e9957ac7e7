/** Output that never blocks, and the lines that it drops. */
import { execFileSync } from 'node:child_process';
import { closeSync, constants, openSync, readSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { createLineOutput } from '../../../server/lib/system/line-output.js';
import { eventually } from '../../helpers/eventually.js';
import { temporaryFolder } from '../../helpers/programs/workspace.js';

const line = (number: number) => `${number} ${'x'.repeat(500)}`;

test('a stalled reader gets the buffered lines when it resumes, and the others are counted', async () => {
  const fifo = path.join(await temporaryFolder(), 'fifo');
  execFileSync('mkfifo', [fifo]);
  const reader = openSync(fifo, constants.O_RDONLY | constants.O_NONBLOCK);
  const writer = openSync(fifo, constants.O_WRONLY | constants.O_NONBLOCK);
  try {
    const output = createLineOutput(writer);
    const reports: number[] = [];
    output.onRecovery((dropped) => reports.push(dropped));
    const count = 5_000;
    for (let number = 0; number < count; number += 1) output.write(`${line(number)}\n`);
    expect(output.droppedLines()).toBeGreaterThan(0);
    expect(reports).toEqual([]);

    let text = '';
    await eventually(() => {
      text += read(reader);
      expect(reports).toEqual([output.droppedLines()]);
    });
    output.write('the end\n');
    await eventually(() => {
      text += read(reader);
      expect(text).toMatch(/the end\n$/);
    });
    const lines = text.split('\n').slice(0, -2);
    expect(lines).toHaveLength(count - output.droppedLines());
    // Each line is complete, occurs once and is in order.
    const numbers = lines.map((each) => Number.parseInt(each, 10));
    expect(lines).toEqual(numbers.map(line));
    expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b));
  } finally {
    closeSync(reader);
    closeSync(writer);
  }
});

/** The data that is available now. */
function read(fd: number): string {
  const chunk = Buffer.alloc(2 ** 20);
  try {
    return chunk.toString('utf8', 0, readSync(fd, chunk));
  } catch {
    return '';
  }
}
