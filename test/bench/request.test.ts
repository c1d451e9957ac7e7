/** What a load sends. */
import { expect, test } from '@jest/globals';
import { requestsOf } from '../../scripts/bench/lib/request.js';

const options = { method: 'POST', url: 'http://127.0.0.1:80/a?b=1', headers: {} };

function bodiesOf(body: string, count: number): string[] {
  const next = requestsOf({ ...options, body });
  return Array.from({ length: count }, () => {
    const [head = '', sent = ''] = next().toString().split('\r\n\r\n');
    expect(head).toContain(`content-length: ${Buffer.byteLength(sent)}`);
    return sent;
  });
}

test('the same bytes each time, if nothing in them is unique', () => {
  const next = requestsOf({ ...options, body: 'ä' });
  expect(next().toString()).toBe(
    'POST /a?b=1 HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: 2\r\n\r\nä',
  );
  expect(next()).toBe(next());
});

test('a unique text is renewed as often as it says', () => {
  const [first, second, third] = bodiesOf('{"id":"{unique:2}"}', 3);
  expect(first).toMatch(/^\{"id":"[-0-9a-f]{25}"\}$/);
  expect(second).toBe(first);
  expect(third).not.toBe(first);
});

test('no two connections send the same one', () => {
  const all = [bodiesOf('{unique:1}', 5), bodiesOf('{unique:1}', 5)].flat();
  expect(new Set(all).size).toBe(10);
});
