/** Under the published contract responses may gain fields and values, while the tests reject everything undocumented. */

import { readFile } from 'node:fs/promises';
import { describe, expect, test } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { closeAnswers } from '../../scripts/lib/closed-contract.js';
import { contractJson } from '../../server/contract/project-files.js';

const published = JSON.parse(await readFile(contractJson, 'utf8')) as object;

/** The validation error for a value; empty if it is valid. */
function complaint(contract: object, schema: string, value: unknown): string {
  const ajv = new Ajv2020({ strict: false });
  formats.default(ajv);
  ajv.addSchema(contract, 'contract');
  const fits = ajv.validate({ $ref: `contract#/components/schemas/${schema}` }, value);
  return fits ? '' : ajv.errorsText();
}

const summary = {
  id: 'agent_01m3v7me00f8c8623ebffsvy4c',
  name: 'support-bot',
  status: 'running',
  created_at: '2026-11-02T09:30:00.000Z',
};

describe('a response', () => {
  test.each([
    ['a field', 'AgentSummary', { ...summary, colour: 'red' }, 'additional properties'],
    ['a value', 'AgentSummary', { ...summary, status: 'paused' }, 'allowed values'],
    ['an error code', 'ErrorDetail', { code: 'teapot', message: 'Short.' }, 'allowed values'],
    ['a permission', 'GrantedPermissions', ['read', 'audit'], 'allowed values'],
  ])('may gain %s, which the tests reject', (_, schema, value, fault) => {
    expect(complaint(published, schema, value)).toBe('');
    expect(complaint(closeAnswers(published), schema, value)).toContain(fault);
  });

  test('may contain names chosen by a caller or an event', () => {
    const metadata = { request_id: 'req_01m6dsg7e0eha8ks12y199e68y', attempt: 2 };
    expect(complaint(closeAnswers(published), 'LogMetadata', metadata)).toBe('');
  });

  test('allows only `true` where a value is always true', () => {
    const deletion = { id: summary.id, deleted: false };
    expect(complaint(published, 'AgentDeletion', deletion)).not.toBe('');
    expect(complaint(closeAnswers(published), 'AgentDeletion', deletion)).not.toBe('');
  });
});

test('a request with an unknown field or value is rejected', () => {
  const request = { name: 'Help desk backend', permissions: ['read'] };
  expect(complaint(published, 'ApiKeyRequest', request)).toBe('');
  expect(complaint(published, 'ApiKeyRequest', { ...request, colour: 'red' })).not.toBe('');
  expect(complaint(published, 'ApiKeyRequest', { ...request, permissions: ['audit'] })).not.toBe(
    '',
  );
});
