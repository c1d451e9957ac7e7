/** Checks every response of the service against the contract: status, headers and body. */
import { readFileSync } from 'node:fs';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { default as addFormats } from 'ajv-formats';
import type { InvocationEvent } from '../../../generated/api.js';
import { type OperationId, operations } from '../../../generated/operations.js';
import { closeAnswers } from '../../../scripts/lib/closed-contract.js';
import { contractJson } from '../../../server/contract/project-files.js';

interface ResponseObject {
  headers?: Record<string, { $ref: string }>;
  content?: Record<string, unknown>;
}

interface Contract {
  paths: Record<string, Record<string, { responses: Record<string, { $ref: string }> }>>;
  components: {
    responses: Record<string, ResponseObject>;
    headers: Record<string, { required?: boolean }>;
  };
}

const contract = closeAnswers(JSON.parse(readFileSync(contractJson, 'utf8')) as Contract);
// `npm run generate` has linted the contract; to compile the schema of schemas for it would take longer than most tests.
const ajv = new Ajv2020({ strict: false, allErrors: true, validateSchema: false });
addFormats.default(ajv);
ajv.addSchema(contract, 'contract');
const validators = new Map<string, ValidateFunction>();

/** Throws if the contract does not allow this response to this operation. */
export function checkAnswer(operationId: OperationId, response: Response, body: unknown): void {
  const { method, path } = operations[operationId];
  const reference = contract.paths[path]?.[method]?.responses[String(response.status)];
  const name = reference?.$ref.split('/').pop() ?? '';
  const documented = contract.components.responses[name];
  if (!documented) {
    throw new Error(
      `${operationId} answered ${response.status}, which the contract does not document: ${JSON.stringify(body)}`,
    );
  }
  for (const header of Object.keys(documented.headers ?? {})) {
    if (contract.components.headers[header]?.required && !response.headers.has(header)) {
      throw new Error(`${operationId} answered ${response.status} without the header ${header}.`);
    }
  }
  const mediaType = response.headers.get('content-type')?.split(';')[0] ?? '';
  if (!(mediaType in (documented.content ?? {}))) {
    throw new Error(`${operationId} answered ${response.status} as ${mediaType}.`);
  }
  if (mediaType === 'application/json') checkBody(operationId, name, body);
}

function checkBody(operationId: OperationId, responseName: string, body: unknown): void {
  const validate = validatorOf(`responses/${responseName}/content/application~1json/schema`);
  if (!validate(body)) {
    throw new Error(
      `The body of ${operationId} (${responseName}) does not fit the contract: ${ajv.errorsText(validate.errors)}\n${JSON.stringify(body)}`,
    );
  }
}

/** Parses an event of an invocation. Throws if the contract does not define it. */
export function asEvent(event: unknown): InvocationEvent {
  const isEvent = validatorOf('schemas/InvocationEvent');
  if (!isEvent(event)) throw new Error(`Not in the contract: ${JSON.stringify(event)}`);
  return event as InvocationEvent;
}

function validatorOf(component: string): ValidateFunction {
  const known = validators.get(component);
  const validate = known ?? ajv.compile({ $ref: `contract#/components/${component}` });
  validators.set(component, validate);
  return validate;
}
