/** An SDK call of an operation, and helpers that the cases share. */
import type { AgentHosting } from '../../../client/src/index.js';
import type { Tenant } from '../../helpers/service/service.js';

export interface CaseSetup {
  tenant: Tenant;
  /** A client for setup, whose exchanges are not recorded. */
  setUp: AgentHosting;
}

export interface Case {
  name: string;
  status: number;
  /** Whether the request is invalid on purpose. */
  isInvalid?: boolean;
  /** A key other than the tenant's. */
  key?: (tenant: Tenant) => string | Promise<string>;
  call: (client: AgentHosting, setup: CaseSetup) => Promise<unknown>;
}

/** Well-formed, but unknown. */
export const wrongKey = () => `ahs_${'x'.repeat(46)}`;

export const limitedTo = (permission: 'read' | 'write') => async (tenant: Tenant) =>
  (await tenant.newKey({ permissions: [permission] })).key;

export async function newAgent({ tenant }: CaseSetup): Promise<string> {
  return (await tenant.newAgent()).id;
}

export async function readAll(stream: AsyncIterable<unknown>): Promise<unknown[]> {
  const items: unknown[] = [];
  for await (const item of stream) items.push(item);
  return items;
}
