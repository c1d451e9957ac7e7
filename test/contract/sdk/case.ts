/** What it takes to drive an operation through the SDK. */
import type { AgentHosting } from '../../../client/src/index.js';
import type { Tenant } from '../../helpers/service.js';

export interface CaseWorld {
  tenant: Tenant;
  /** A client that is not observed, to prepare things with. */
  setUp: AgentHosting;
}

export interface Case {
  name: string;
  status: number;
  /** The request is wrong on purpose. */
  isInvalid?: boolean;
  /** Another key than that of the tenant. */
  key?: (tenant: Tenant) => string | Promise<string>;
  call: (client: AgentHosting, world: CaseWorld) => Promise<unknown>;
}

/** A key that looks like one. */
export const wrongKey = () => `ahs_${'x'.repeat(46)}`;

export const limitedTo = (permission: 'read' | 'write') => async (tenant: Tenant) =>
  (await tenant.newKey({ permissions: [permission] })).key;

export async function newAgent({ tenant }: CaseWorld): Promise<string> {
  return (await tenant.newAgent()).id;
}

export async function drained(stream: AsyncIterable<unknown>): Promise<unknown[]> {
  const items: unknown[] = [];
  for await (const item of stream) items.push(item);
  return items;
}
