/** The compiled checks of requests decide as express-openapi-validator does, for requests that are valid, nearly valid, and not. */
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Route } from '../../generated/operations.js';
import { isObject } from '../../scripts/lib/json.js';
import { ServiceError } from '../../server/domain/errors.js';
import { routes } from '../../server/http/routes.js';
import { validateRequest } from '../../server/http/transport/validator.js';
import {
  type ExampleOfRequest,
  referenceVerdict,
  requestOf,
  type Verdict,
} from '../helpers/reference-validator.js';
import { validCall } from '../helpers/valid-call.js';

function verdictOf(route: Route, request: ExampleOfRequest, hasLargeBody = false): Verdict {
  const { req, res } = requestOf(route, request);
  req.hasLargeBody = hasLargeBody;
  const refusal = refusalOf(() => {
    let passedOn: unknown;
    void validateRequest(route)(req, res, (error?: unknown) => {
      passedOn = error;
    });
    return passedOn;
  });
  if (refusal === undefined) {
    return { accepted: { query: req.validQuery, body: req.body as unknown } };
  }
  // The reference takes a slash in a name for the end of the name.
  const fields = (refusal.details ?? []).map(({ field }) => field.replaceAll('/', '.'));
  return { rejected: fields.toSorted() };
}

/** The error that a step passes on or throws. */
function refusalOf(run: () => unknown): ServiceError | undefined {
  let error: unknown;
  try {
    error = run();
  } catch (thrown) {
    error = thrown;
  }
  if (error === undefined || error instanceof ServiceError) return error;
  throw new Error('The step failed.', { cause: error });
}

function exampleOf(route: Route): ExampleOfRequest {
  const { path, query, body } = validCall(route);
  const text = new URLSearchParams(query as Record<string, string>).toString();
  return { params: path, query: text, headers: {}, body };
}

/** What programs send by mistake, and what attackers send on purpose. */
const strange = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    '',
    ' ',
    0,
    -1,
    1.5,
    1e21,
    true,
    [],
    {},
    [[]],
    '2026-13-01T00:00:00Z',
  ),
  fc.constantFrom<unknown>(
    'x'.repeat(70),
    'a\u0000b',
    '\u202eabc',
    'https://',
    'http://[::1]',
    'ftp://x',
  ),
  fc.jsonValue({ maxDepth: 2 }),
);

/** The value with one place in it changed: replaced, removed, repeated or extended. */
function changed(value: unknown): fc.Arbitrary<unknown> {
  const members = Array.isArray(value)
    ? value.map((item, index): [string, unknown] => [String(index), item])
    : isObject(value)
      ? Object.entries(value)
      : [];
  const inside = members.map(([key, member]) =>
    changed(member).map((next) => withMember(value, key, next)),
  );
  const added = isObject(value)
    ? [
        fc
          .tuple(fc.constantFrom('unknown', '__proto__', 'constructor'), strange)
          .map(([key, next]) => withMember(value, key, next)),
        ...members.map(([key]) => fc.constant(withMember(value, key, undefined))),
      ]
    : [];
  const repeated = Array.isArray(value) ? [fc.constant<unknown>(value.concat(value))] : [];
  return fc.oneof(strange, ...inside, ...added, ...repeated);
}

function withMember(value: unknown, key: string, next: unknown): unknown {
  if (Array.isArray(value))
    return value.map((item: unknown, index) => (String(index) === key ? next : item));
  const entries = Object.entries(isObject(value) ? value : {}).filter(([name]) => name !== key);
  return Object.fromEntries(next === undefined ? entries : [...entries, [key, next]]);
}

const headerNames = ['idempotency-key', 'x-mfa-code', 'prefer', 'last-event-id', 'accept'];

describe.each(routes)('$operationId', (route) => {
  const example = exampleOf(route);

  test('takes its example, with the same defaults', async () => {
    const verdict = verdictOf(route, example);
    expect(verdict).toHaveProperty('accepted');
    expect(verdict).toEqual(await referenceVerdict(route, example));
  });

  test('decides alike of what is changed in it', async () => {
    const names = Object.keys(Object.fromEntries(new URLSearchParams(example.query)));
    const text = fc.oneof(
      fc.string({ minLength: 1, unit: 'grapheme' }),
      strange.map((value) => JSON.stringify(value)),
    );
    const requests = fc.record({
      params: fc.dictionary(
        fc.constantFrom('agent_id', 'deployment_id', 'webhook_id', 'key_id'),
        text,
      ),
      query: fc.dictionary(
        fc.constantFrom('limit', 'offset', ...names),
        fc.string({ minLength: 1 }),
      ),
      headers: fc.dictionary(fc.constantFrom(...headerNames), text),
      body: route.hasBody ? changed(example.body) : fc.constant(undefined),
      part: fc.constantFrom('params', 'query', 'headers', 'body', 'body', 'body'),
    });
    await fc.assert(
      fc.asyncProperty(requests, async ({ part, ...other }) => {
        const request: ExampleOfRequest = {
          ...example,
          ...(part === 'params' && { params: { ...example.params, ...other.params } }),
          ...(part === 'headers' && { headers: other.headers }),
          ...(part === 'body' && { body: other.body }),
          ...(part === 'query' && { query: new URLSearchParams(other.query).toString() }),
        };
        const reference = await referenceVerdict(route, request);
        const verdict = verdictOf(route, request);
        // The service takes only one way to write a number.
        const isStricter = part === 'query' && 'rejected' in verdict;
        if (!isStricter) expect(verdict).toEqual(reference);
        const quick = verdictOf(route, request, true);
        expect('accepted' in quick).toBe('accepted' in verdict);
      }),
      { numRuns: 60 },
    );
  });
});
