/** Finds keys for their revocation, with those that were created with them. */
import type { Prisma } from '../../generated/prisma/client.js';
import type { Connection } from '../postgres/connection.js';

export interface RevocableKey {
  id: string;
  accountId: string;
  name: string;
  preview: string;
  lastUsedAt: Date | null;
  /** Null: the key is not revoked. */
  revokedAt: Date | null;
}

const fields = {
  id: true,
  accountId: true,
  name: true,
  preview: true,
  lastUsedAt: true,
  revokedAt: true,
} as const satisfies Prisma.ApiKeySelect;

/** By its id in the account, or by its hash in any account. Also if it is revoked. */
export async function findRevocableKey(
  { prisma }: Connection,
  where: { id: string; accountId: string } | { keyHash: Uint8Array<ArrayBuffer> },
): Promise<RevocableKey | undefined> {
  return (await prisma.apiKey.findUnique({ where, select: fields })) ?? undefined;
}

/** The keys that were created with the key, or with one of these. Also revoked ones. */
export async function findCreatedKeys(
  { prisma }: Connection,
  { accountId, id }: Pick<RevocableKey, 'accountId' | 'id'>,
): Promise<RevocableKey[]> {
  const found: RevocableKey[] = [];
  let creators = [id];
  while (creators.length > 0) {
    const created = await prisma.apiKey.findMany({
      where: { accountId, createdBy: { in: creators } },
      select: fields,
      orderBy: { id: 'asc' },
    });
    found.push(...created);
    creators = created.map((key) => key.id);
  }
  return found;
}
