/** What the fuzzer makes is what it says: valid requests are valid, and broken ones are broken in one place alone. */
import { describe, expect, test } from '@jest/globals';
import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import { default as addFormats } from 'ajv-formats';
import fc from 'fast-check';
import { isObject } from '../../scripts/lib/json.js';
import { dereferenced } from '../helpers/contract.js';
import { type Operation, operations } from './contract.js';
import { edgesOf } from './edges.js';
import { absentId, Reference } from './reference.js';
import { type Template, validTemplates } from './template.js';
import { violationsOf } from './violations/violations.js';

const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats.default(ajv);

const sampling = { numRuns: 20, seed: 1 };

/** Keywords that repeat what their parts have said. */
const unions = new Set(['oneOf', 'anyOf', 'allOf']);

describe.each(operations)('$operationId', (operation) => {
  const problemsOf = problemsIn(operation);
  const templates = validTemplates(operation);

  test('valid requests are valid', () => {
    for (const template of fc.sample(templates, { numRuns: 200, seed: 1 })) {
      expect(problemsOf(template)).toEqual([]);
    }
  });

  test('requests at a limit are valid', () => {
    for (const { values, apply } of edgesOf(operation)) {
      for (const [template, value] of fc.sample(fc.tuple(templates, values), sampling)) {
        expect(problemsOf(apply(template, value))).toEqual([]);
      }
    }
  });

  test('each keyword of the body is broken, and nothing else', () => {
    const inBody = violationsOf(operation).filter(({ name }) => /^body .*: \w+$/.test(name));
    for (const { name, field, values, apply } of inBody) {
      const keyword = name.split(': ').at(-1);
      for (const [template, value] of fc.sample(fc.tuple(templates, values), sampling)) {
        const problems = problemsOf(apply(template, value));
        const fields = new Set(problems.map((problem) => problem.field));
        expect({ name, value, fields: [...fields] }).toEqual({ name, value, fields: [field] });
        expect(problems.map((problem) => problem.keyword)).toContain(keyword);
      }
    }
  });
});

interface Problem {
  field: string;
  keyword: string;
}

/** The rules of the contract that a request breaks. */
function problemsIn({ body, parameters }: Operation): (template: Template) => Problem[] {
  const validators = parameters.map(({ name, in: where, schema }) => ({
    name,
    where,
    validate: ajv.compile(dereferenced(schema.node) as object),
  }));
  const validateBody = ajv.compile(body ? (dereferenced(body.node) as object) : {});
  return (template) => {
    const query = Object.fromEntries(template.query);
    const sources = { path: template.path, query, header: template.headers };
    const inParameters = validators.flatMap(({ name, where, validate }) => {
      const value = plain(sources[where][name]);
      return value === undefined || validate(value) ? [] : [{ field: name, keyword: where }];
    });
    const isValid = validateBody('body' in template ? plain(template.body) : {});
    return [...inParameters, ...(isValid ? [] : (validateBody.errors ?? [])).flatMap(problemOf)];
  };
}

function problemOf({ instancePath, keyword, params }: ErrorObject): Problem[] {
  if (unions.has(keyword)) return [];
  const inner = isObject(params)
    ? (params['missingProperty'] ?? params['additionalProperty'])
    : undefined;
  const path = instancePath.split('/').slice(1);
  const field = [...path, ...(typeof inner === 'string' ? [inner] : [])].join('.') || 'body';
  return [{ field, keyword }];
}

/** As it would be sent: what a reference stands for is an id. */
function plain(value: unknown): unknown {
  if (value instanceof Reference) return absentId(value.kind);
  if (Array.isArray(value)) return value.map(plain);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, plain(member)]));
}
