/** Validation with foreign schemas: each ends in time, and accounts do not wait for each other. */
import { describe, expect, test } from '@jest/globals';
import { createSchemaChecks, SchemaFailure } from '../../server/models/schema-checks.js';

const newChecks = (limits: { ms?: number; megabytes?: number } = {}) => {
  const check = createSchemaChecks({ threads: 2, ms: 60_000, megabytes: 64, ...limits });
  return (schema: object, value?: unknown, queueKey = 'a', signal?: AbortSignal) =>
    check(
      queueKey,
      {
        schema: JSON.stringify(schema),
        ...(value === undefined ? {} : { json: JSON.stringify(value) }),
      },
      signal,
    );
};
const text = { type: 'string' };
/** With a value of 40 characters it takes years. */
const endless = { type: 'string', pattern: '^(a+)+$' };
const victim = `${'a'.repeat(40)}!`;

describe('a check', () => {
  test.each<[string, object, unknown, string | undefined]>([
    ['of a value that fits', text, 'yes', undefined],
    ['of a value that does not', text, 5, 'it must be string'],
    ['of the schema alone', text, undefined, undefined],
    [
      'with an earlier dialect',
      { $schema: 'http://json-schema.org/draft-07/schema#' },
      5,
      undefined,
    ],
    ['with a format', { format: 'email' }, 'x', 'it must match format "email"'],
    [
      'that names a property',
      { additionalProperties: false },
      { x: 1 },
      'it must NOT have additional properties ("x")',
    ],
  ])('%s reports the result', async (_, schema, value, problem) => {
    expect(await newChecks()(schema, value)).toBe(problem);
  });

  test('of invalid JSON reports that', async () => {
    const check = createSchemaChecks({ threads: 2, ms: 60_000, megabytes: 64 });
    expect(await check('a', { schema: '{}', json: '{"a":' })).toBe('it is not JSON');
  });

  test.each<[string, object, RegExp]>([
    ['is invalid', { type: 'strng' }, /^is not a valid JSON Schema: \/type must be/],
    [
      'has a dangling reference',
      { $ref: '#/$defs/x' },
      /^is not a valid JSON Schema: can't resolve/,
    ],
    ['refers to itself endlessly', { $ref: '#' }, /^cannot be used: Maximum call stack/],
  ])('with a schema that %s fails', async (_, schema, reason) => {
    const failure = newChecks()(schema, 'x');
    await expect(failure).rejects.toThrow(SchemaFailure);
    await expect(failure).rejects.toThrow(reason);
  });

  test('that takes too long is ended, and the next one runs in another thread', async () => {
    const check = newChecks({ ms: 5_000 });
    await expect(check(endless, victim)).rejects.toThrow('takes longer than 5000 ms to check');
    expect(await check(text, 'yes')).toBeUndefined();
  });

  test('that takes too much memory is ended, and the next one runs in another thread', async () => {
    const check = newChecks({ megabytes: 16 });
    const value = Array.from({ length: 400_000 }, (_, index) => ({ index }));
    await expect(check({}, value)).rejects.toThrow('takes more than 16 MiB of memory to check');
    expect(await check(text, 'yes')).toBeUndefined();
  });

  test('waits only for others of its account', async () => {
    const check = newChecks({ ms: 2_500 });
    const ended: string[] = [];
    const slow = Array.from({ length: 3 }, () =>
      check(endless, victim).catch(() => ended.push('hostile')),
    );
    await check(text, 'yes', 'b').then(() => ended.push('ordinary'));
    await Promise.all(slow);
    expect(ended.indexOf('ordinary')).toBeLessThan(2);
  });

  test('that is aborted while it waits ends at once, and does not run', async () => {
    const check = newChecks({ ms: 2_500 });
    const controller = new AbortController();
    const first = check(endless, victim).catch(String);
    const left = check(endless, victim, 'a', controller.signal);
    controller.abort(new Error('gone'));
    await expect(left).rejects.toThrow('gone');
    expect(await first).toMatch(/takes longer/);
    expect(await check(text, 'yes')).toBeUndefined();
  });
});
