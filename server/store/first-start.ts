/** Remembers that an installation was set up, so that it is done once. */
import type { Transaction } from './connection.js';

/** Whether this transaction is the one that sets the installation up: false if an earlier one did. */
export async function claimFirstStart(transaction: Transaction): Promise<boolean> {
  const { count } = await transaction.prisma.setting.createMany({
    data: { key: 'set_up', value: true },
    skipDuplicates: true,
  });
  // A database that was in use before it kept this note has accounts already.
  return count === 1 && (await transaction.prisma.account.count()) === 0;
}
