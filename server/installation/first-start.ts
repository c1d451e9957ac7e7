/** Records that an installation was set up, so that setup runs once, and stores its first key until it has been shown. */
import type { Connection, Queryable, Transaction } from '../postgres/connection.js';
import { insertSetting, readSetting } from './settings.sql.js';

const setUp = 'set_up';
const unshownKey = 'unshown_key';

/** A cheap check before the transaction of `claimFirstStart`. */
export async function isSetUp(connection: Queryable): Promise<boolean> {
  return (await readSetting(connection, setUp)) !== undefined;
}

/** Returns true if this transaction must set up the installation, and false if an earlier one did. */
export async function claimFirstStart(transaction: Transaction): Promise<boolean> {
  const isFirst = await insertSetting(transaction, setUp, true);
  // The operator may have created accounts before the first start.
  return isFirst && (await transaction.prisma.account.count()) === 0;
}

export async function storeUnshownKey({ prisma }: Transaction, sealed: Buffer): Promise<void> {
  await prisma.setting.create({ data: { key: unshownKey, value: sealed.toString('base64') } });
}

/** The sealed key of a setup whose process may have ended before it showed the key. */
export async function findUnshownKey(connection: Queryable): Promise<Buffer | undefined> {
  const value = await readSetting(connection, unshownKey);
  return typeof value === 'string' ? Buffer.from(value, 'base64') : undefined;
}

export async function deleteUnshownKey({ prisma }: Connection): Promise<void> {
  await prisma.setting.deleteMany({ where: { key: unshownKey } });
}
