/** The thread of schema-checks.ts: compiles untrusted schemas and checks JSON against them, one request at a time. */
import { parentPort } from 'node:worker_threads';
import { LRUCache } from 'lru-cache';
import { messageOf } from '../lib/errors/error-code.js';
import { compileSchema, type SchemaCheck } from '../lib/data/json-schema.js';
import type { CheckReply, CheckRequest } from './schema-checks.js';

/** Cached because compiling takes milliseconds and agents use the same schemas repeatedly. */
const compiled = new LRUCache<string, SchemaCheck>({ max: 100 });

function reply({ schema, json }: CheckRequest): CheckReply {
  let check: SchemaCheck;
  try {
    check = compiled.get(schema) ?? compileSchema(JSON.parse(schema) as object);
    compiled.set(schema, check);
  } catch (error) {
    return { failure: `is not a valid JSON Schema: ${messageOf(error)}` };
  }
  if (json === undefined) return {};
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    return { problem: 'it is not JSON' };
  }
  try {
    return { problem: check(value) };
  } catch (error) {
    // For example, a schema that refers to itself endlessly.
    return { failure: `cannot be used: ${messageOf(error)}` };
  }
}

// The first compilation also compiles the meta-schema, which must not count as part of a check.
compileSchema({});
parentPort?.on('message', (request: CheckRequest) => parentPort?.postMessage(reply(request)));
parentPort?.postMessage('ready');
