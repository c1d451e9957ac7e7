/** What tools get of a run, whatever the model sends: references are resolved once, and fixed arguments come last. */
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { HttpTool, Tools } from '../../generated/manifest.js';
import { createHttpTool } from '../../server/models/tools/http-tool.js';
import {
  parseReference,
  resolveReferences,
  valueOf,
} from '../../server/models/tools/references.js';

const tool = (settings: Partial<HttpTool>): HttpTool => ({
  name: 'orders',
  description: 'The orders of a customer.',
  method: 'POST',
  url: 'https://api.acme.example/orders',
  parameters: { type: 'object', properties: { status: { type: 'string' } } },
  timeout: '10s',
  ...settings,
});

const toolsWith = (settings: Partial<HttpTool>): Partial<Tools> => ({ http: [tool(settings)] });

describe('a setting', () => {
  test.each([
    ['${caller.token}', 'caller.token'],
    ['${context.user_id}', 'context.user_id'],
    ['${context.__proto__}', 'context.__proto__'],
    ['${request.id}', 'request.id'],
    ['${agent.name}', 'agent.name'],
  ])('%s is a reference', (setting, reference) => {
    expect(parseReference(setting)).toBe(reference);
  });

  test.each([
    'context.user_id',
    '${context.}',
    '${context.user_id} ',
    'a ${context.user_id}',
    '${context.a}${context.b}',
    '${context.a.b}',
    `\${context.${'a'.repeat(65)}}`,
    '${caller.id}',
    '${env:TOKEN}',
    5,
    true,
  ])('%j is none', (setting) => {
    expect(parseReference(setting)).toBeUndefined();
  });
});

describe('resolving', () => {
  test('takes what the tools refer to, and nothing else', () => {
    const tools = toolsWith({
      headers: { Authorization: '${caller.token}', 'X-Api-Key': '${env:KEY}' },
      arguments: { customer: '${context.customer}', limit: 20, note: 'as it is' },
    });
    const known = {
      'caller.token': 'Bearer t',
      'context.customer': { id: 7 },
      'context.other': 1,
      'request.id': 'req_1',
    };
    expect(resolveReferences(tools, known)).toEqual({
      values: { 'caller.token': 'Bearer t', 'context.customer': { id: 7 } },
      problems: [],
    });
  });

  test.each([undefined, null])('%s is missing, and said once', (customer) => {
    const settings = { customer: '${context.customer}', owner: '${context.customer}' };
    const tools = toolsWith({ arguments: settings });
    expect(resolveReferences(tools, { 'context.customer': customer }).problems).toEqual([
      { reference: 'context.customer', problem: "is missing: the tool 'orders' needs it" },
    ]);
  });

  test.each(['constructor', 'toString', '__proto__'])(
    'context.%s is not what every object inherits',
    (key) => {
      const tools = toolsWith({ arguments: { customer: `\${context.${key}}` } });
      expect(resolveReferences(tools, {}).problems).toHaveLength(1);
    },
  );

  const problemIn = (settings: Partial<HttpTool>, value: unknown) =>
    resolveReferences(toolsWith(settings), { 'context.x': value }).problems[0]?.problem;

  test.each(['', ' ', ' ada', 'ada ', 'a\r\nX-Admin: 1', 'a\nb', 'é', '\u{1f600}', [], {}, ['a']])(
    '%j cannot be the value of a header',
    (value) => {
      const problem = problemIn({ headers: { 'X-User': '${context.x}' } }, value);
      expect(problem).toMatch(/^must be .*, because the tool 'orders' sends it in a header$/);
    },
  );

  test.each(['ada', 'a da', 0, false, 1.5])('%j can', (value) => {
    expect(problemIn({ headers: { 'X-User': '${context.x}' } }, value)).toBeUndefined();
  });

  test.each(['..', '', 'a/../b', {}, []])('%j cannot be part of a path', (value) => {
    const settings = {
      url: 'https://api.acme.example/{x}/orders',
      arguments: { x: '${context.x}' },
    };
    expect(problemIn(settings, value)).toMatch(/sends it in the path of its URL$/);
  });

  test('an empty list cannot be in a query, where it would be left out', () => {
    const inQuery = { method: 'GET', arguments: { x: '${context.x}' } } as const;
    expect(problemIn(inQuery, [])).toMatch(/^must not be empty/);
    expect(problemIn({ ...inQuery, method: 'POST' }, [])).toBeUndefined();
  });

  test('a value that was not resolved is never left out', () => {
    expect(() => valueOf('${context.x}', {})).toThrow('context.x was not resolved');
    expect(() =>
      createHttpTool(tool({ arguments: { x: '${context.x}' } }), { allowPrivate: true }),
    ).toThrow('context.x was not resolved');
  });
});

describe('what a model sends', () => {
  test('changes no fixed argument, and adds none that is not declared', () => {
    const references = { 'context.customer': 'ada' };
    const { sent } = createHttpTool(
      tool({ arguments: { customer: '${context.customer}', limit: 20 } }),
      { allowPrivate: true, references },
    );
    const key = fc.oneof(
      fc.constantFrom('customer', 'limit', 'status', '__proto__', 'constructor', 'Customer'),
      fc.string(),
    );
    fc.assert(
      fc.property(fc.dictionary(key, fc.jsonValue()), (fields) => {
        // As from JSON, in which __proto__ is a name like any other.
        const args = JSON.parse(JSON.stringify(fields)) as Record<string, unknown>;
        const all = { ...sent?.(args) };
        const status = Object.hasOwn(args, 'status') ? { status: args['status'] } : {};
        expect(JSON.parse(JSON.stringify(all))).toEqual({ ...status, customer: 'ada', limit: 20 });
        expect(Object.keys(all).sort()).toEqual(
          [...Object.keys(status), 'customer', 'limit'].sort(),
        );
      }),
    );
  });
});
