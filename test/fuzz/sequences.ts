/** Sequences of requests to a few operations each, so that the operations interact more often. */
import fc from 'fast-check';
import { type Random, seeded } from '../helpers/text/random.js';
import { type Operation, operations } from './contract.js';
import type { Step } from './send.js';
import { freshKey, minimal, type Template, validTemplates, withCallers } from './template.js';

export interface Sequences {
  /** The participating operations. */
  kind: string;
  values: fc.Arbitrary<Step[]>;
}

const longest = 32;

/** Operations that create what the others need. */
const creators = ['createApiKey', 'createDeployment', 'createWebhook', 'invokeAgent'];

/** The number of different selections of operations. */
export function* sequencesOf(seed: number, count: number): Generator<Sequences> {
  const random = seeded(seed);
  for (const operation of operations) yield* repeatsAfterDeletion(operation);
  for (let index = 0; index < count; index += 1) {
    const chosen = choose(random);
    const names = chosen.map(({ operationId }) => operationId).join(' ');
    const again = {
      weight: chosen.length,
      arbitrary: fc.nat(20).map((number): Step => ({ again: number })),
    };
    const steps = chosen.map((operation) => ({
      weight: 2,
      arbitrary: withCallers(validTemplates(operation)),
    }));
    const values = fc.array(fc.oneof<fc.MaybeWeightedArbitrary<Step>[]>(...steps, again), {
      minLength: 16,
      maxLength: longest,
      size: 'max',
    });
    yield { kind: `sequence ${index} of ${names}`, values };
  }
}

/** All operations on one or two resources, and operations that create or delete something else. */
function choose(random: Random): Operation[] {
  const tags = [...new Set(operations.map(({ tag }) => tag))];
  const wanted = new Set([random.of(tags), random.of(tags)]);
  const extra = new Set([random.of(creators), random.of(operations).operationId]);
  return operations.filter(({ tag, operationId }) => wanted.has(tag) || extra.has(operationId));
}

/** A request, the deletion of its resource, and the same request again. */
function repeatsAfterDeletion(operation: Operation): Sequences[] {
  const deleting = operations.find(
    ({ method, path }) =>
      method === 'DELETE' && path.endsWith('}') && operation.path.startsWith(path),
  );
  if (!deleting) return [];
  const values = fc
    .tuple(validTemplates(operation).map(minimal), validTemplates(deleting).map(minimal))
    .map(([first, deletion]): Step[] => [first, deletion, { again: 0 }]);
  return [{ kind: `${operation.operationId} after ${deleting.operationId}`, values }];
}

/** Repeats that must have no second effect, and other requests with the same Idempotency-Key. */
export function repeatsOf(operation: Operation): Sequences[] {
  const { operationId, isIdempotent, method } = operation;
  const templates = validTemplates(operation).map(minimal);
  if (method === 'DELETE') {
    return [
      {
        kind: `${operationId}, twice`,
        values: templates.map((one): Step[] => [one, { again: 0 }]),
      },
    ];
  }
  if (!isIdempotent) return [];
  const keyed = templates.map((one): Template => ({
    ...one,
    headers: { ...one.headers, 'Idempotency-Key': freshKey },
  }));
  const bodies = validTemplates(operation).map(minimal);
  return [
    { kind: `${operationId}, repeated`, values: keyed.map((one): Step[] => [one, { again: 0 }]) },
    {
      kind: `${operationId}, another body under the same key`,
      values: fc
        .tuple(keyed, bodies)
        .map(([one, { body }]): Step[] => [
          one,
          { again: 0, ...(body === undefined ? {} : { body }) },
        ]),
    },
  ];
}
