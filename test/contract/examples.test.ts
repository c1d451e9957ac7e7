/** Every example in the contract fits its schema, by a validator other than the linter's, and all are consistent. */

import { describe, expect, test } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import type { JsonObject } from '../../scripts/lib/json.js';
import {
  type Example,
  operations,
  schemaNamed,
  webhookExamples,
} from '../helpers/service/contract.js';

const ajv = new Ajv2020({ strict: false, allErrors: true });
formats.default(ajv);

const parameters = operations.flatMap((operation) => operation.parameters);
const bodies = operations.flatMap(({ requests, responses }) => [...requests, ...responses]);
const all: Example[] = [...parameters, ...bodies, ...webhookExamples];

function faults(schema: JsonObject, value: unknown): string {
  return ajv.validate(schema, value) ? '' : ajv.errorsText();
}

describe('the examples', () => {
  test('include a success for every operation', () => {
    expect(all.length).toBeGreaterThan(60);
    const bare = operations.filter(
      ({ responses }) => !responses.some(({ status }) => status < 300),
    );
    expect(bare.map(({ operationId }) => operationId)).toEqual([]);
    expect(webhookExamples.filter(({ place }) => place.endsWith('application/json'))).toHaveLength(
      3,
    );
  });

  test('fit their schemas', () => {
    const wrong = all
      .map(({ place, schema, value }) => ({ place, fault: faults(schema, value) }))
      .filter(({ fault }) => fault !== '');
    expect(wrong).toEqual([]);
  });

  test('are validated strictly: an extra field would be found', () => {
    const [agent] = operations
      .filter(({ operationId }) => operationId === 'getAgent')
      .flatMap(({ responses }) => responses.filter(({ status }) => status === 200));
    expect(agent).toBeDefined();
    expect(faults(agent?.schema ?? {}, { ...Object(agent?.value), extra: 1 })).toContain(
      'additional',
    );
  });

  test('of a stream are events that fit their schema and end with exactly one result', () => {
    const streams = bodies.filter(({ mediaType }) => mediaType === 'text/event-stream');
    expect(streams).not.toHaveLength(0);
    for (const { place, value } of streams) {
      const events = eventsOf(String(value));
      const wrong = events.map((event) => faults(schemaNamed('InvocationEvent'), event));
      expect([place, wrong.filter((fault) => fault !== '')]).toEqual([place, []]);
      const endings = events.map(({ event }) => event).filter((event) => event !== 'delta');
      expect([place, endings.length, events.at(-1)?.event]).toEqual([place, 1, endings[0]]);
    }
  });
});

function eventsOf(stream: string): { id: string; event: string; data: unknown }[] {
  return stream
    .trim()
    .split('\n\n')
    .map((block) => {
      const [, id = '', event = '', data = ''] =
        /^id: (.*)\nevent: (\w+)\ndata: (.*)$/.exec(block) ?? [];
      const parsed: unknown = JSON.parse(data);
      return { id, event, data: parsed };
    });
}

describe('across all operations, the examples', () => {
  const id = /\b(acct|agent|dep|evt|key|log|mem|req|wh)_[0-9a-z]{26}\b/g;

  function idsIn(examples: Example[]): Set<string> {
    return new Set(examples.flatMap(({ value }) => JSON.stringify(value).match(id) ?? []));
  }

  test('use at most three ids of each kind', () => {
    const counts = new Map<string, number>();
    for (const one of idsIn(all)) {
      const kind = one.split('_')[0] ?? '';
      counts.set(kind, (counts.get(kind) ?? 0) + 1);
    }
    expect([...counts.keys()].toSorted()).toEqual([
      'agent',
      'dep',
      'evt',
      'key',
      'log',
      'mem',
      'req',
      'wh',
    ]);
    expect([...counts].filter(([, count]) => count > 3)).toEqual([]);
  });

  test('are about one agent, except in the list of agents', () => {
    const elsewhere = all.filter(({ place }) => !place.startsWith('GET /v1/agents,'));
    const agents = [...idsIn(elsewhere)].filter((one) => one.startsWith('agent_'));
    expect(agents).toHaveLength(1);
    expect(idsIn(all.filter(({ place }) => place.startsWith('GET /v1/agents,')))).toContain(
      agents[0],
    );
  });
});
