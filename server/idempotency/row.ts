/** The row of an Idempotency-Key. Types and statements take its columns from these lists. */
import type { IdempotencyRecord } from '../../generated/prisma/client.js';
import type { Claim } from '../accounts/operation-context.js';

export const claimColumns = {
  id: 'bytea',
  requestHash: 'bytea',
  owner: 'text',
  isStream: 'boolean',
} as const satisfies Partial<Record<keyof IdempotencyRecord, string>>;

export type NewClaim = Pick<IdempotencyRecord, 'accountId' | keyof typeof claimColumns>;

export const settledColumns = {
  id: 'bytea',
  owner: 'text',
  responseStatus: 'int',
  sealedResponse: 'bytea',
} as const satisfies Partial<Record<keyof IdempotencyRecord, string>>;

export type StoredColumns = Pick<IdempotencyRecord, 'responseStatus' | 'sealedResponse'>;

/** How a key ends. */
export interface SettledKey extends Pick<Claim, 'id'>, StoredColumns {
  /** Null: the key is not held, as after a 202. */
  owner: string | null;
}
