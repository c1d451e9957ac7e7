/** Records that an installation was set up, so that setup runs once, and keeps its key until it has been shown. */
import type { Connection, Transaction } from './connection.js';

const unshownKey = 'unshown_key';

/** Returns true if this transaction must set the installation up; false if an earlier one did. */
export async function claimFirstStart(transaction: Transaction): Promise<boolean> {
  const { count } = await transaction.prisma.setting.createMany({
    data: { key: 'set_up', value: true },
    skipDuplicates: true,
  });
  // A database from before this setting existed already has accounts.
  return count === 1 && (await transaction.prisma.account.count()) === 0;
}

export async function keepUnshownKey({ prisma }: Transaction, sealed: Buffer): Promise<void> {
  await prisma.setting.create({ data: { key: unshownKey, value: sealed.toString('base64') } });
}

/** The sealed key of a setup whose process may have ended before it showed the key. */
export async function findUnshownKey({ prisma }: Connection): Promise<Buffer | undefined> {
  const setting = await prisma.setting.findUnique({ where: { key: unshownKey } });
  return typeof setting?.value === 'string' ? Buffer.from(setting.value, 'base64') : undefined;
}

export async function forgetUnshownKey({ prisma }: Connection): Promise<void> {
  await prisma.setting.deleteMany({ where: { key: unshownKey } });
}
