/** Records that an installation was set up, so that setup runs once. */
import type { Transaction } from './connection.js';

/** Returns true if this transaction must set the installation up; false if an earlier one did. */
export async function claimFirstStart(transaction: Transaction): Promise<boolean> {
  const { count } = await transaction.prisma.setting.createMany({
    data: { key: 'set_up', value: true },
    skipDuplicates: true,
  });
  // A database from before this setting existed already has accounts.
  return count === 1 && (await transaction.prisma.account.count()) === 0;
}
