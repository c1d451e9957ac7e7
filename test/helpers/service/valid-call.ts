/** A valid call of any operation, built from the contract's examples. */
import type { Route } from '../../../generated/operations.js';
import type { Call } from './api.js';
import { operations } from './contract.js';
import { insertDeployment, insertWebhook } from '../database/rows.js';
import type { Tenant, TestService } from './service.js';

export interface Names {
  /** Values of path parameters by name; `agent_id` in a body is replaced as well. */
  [parameter: string]: string;
}

/** Without names, the call is about resources that do not exist. */
export function validCall(
  { operationId }: Route,
  names: Names = {},
): Required<Pick<Call, 'path' | 'query'>> & Call {
  const operation = operations.find((candidate) => candidate.operationId === operationId);
  if (!operation) throw new Error(`The contract has no ${operationId}.`);
  const { parameters, requests } = operation;
  const valuesOf = (place: string) =>
    parameters.flatMap((parameter): [string, string][] =>
      parameter.in === place ? [[parameter.name, String(parameter.value)]] : [],
    );
  const body = requests[0]?.value;
  return {
    path: { ...Object.fromEntries(valuesOf('path')), ...names },
    query: Object.fromEntries(valuesOf('query')),
    ...(body === undefined ? {} : { body: withAgentId(body, names['agent_id']) }),
  };
}

function withAgentId(body: unknown, agentId: string | undefined): unknown {
  const names = typeof body === 'object' && body !== null && 'agent_id' in body;
  return names && agentId !== undefined ? { ...body, agent_id: agentId } : body;
}

/** Creates an agent of the tenant with one resource of each kind, by the name of the path parameter. */
export async function createResources(
  { database }: Pick<TestService, 'database'>,
  tenant: Tenant,
): Promise<Names> {
  const { id: agentId } = await tenant.newAgent();
  const replacedId = await insertDeployment(database, agentId, { status: 'superseded' });
  const { id: keyId } = await tenant.newKey({ agentId });
  return {
    agent_id: agentId,
    deployment_id: await insertDeployment(database, agentId, { replacedId }),
    webhook_id: await insertWebhook(database, tenant.accountId, agentId),
    key_id: keyId,
  };
}

/** The query of an operation with its required parameters. */
export function onlyRequired(operationId: string): Record<string, string> {
  const parameters =
    operations.find((operation) => operation.operationId === operationId)?.parameters ?? [];
  return Object.fromEntries(
    parameters.flatMap(({ in: place, isRequired, name, value }) =>
      place === 'query' && isRequired ? [[name, String(value)]] : [],
    ),
  );
}
