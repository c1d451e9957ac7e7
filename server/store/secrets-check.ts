/** Verifies that SECRETS_KEY is the key that the data was encrypted with. */
import { DatabaseProblem } from './connection-problem.js';
import type { Connection } from './connection.js';

const KEY = 'secrets_key_fingerprint';

/** The first call on a database records the fingerprint; later calls throw if the key differs. */
export async function assertSameSecretsKey(
  { prisma }: Connection,
  fingerprint: string,
): Promise<void> {
  await prisma.setting.createMany({
    data: { key: KEY, value: fingerprint },
    skipDuplicates: true,
  });
  const recorded = await prisma.setting.findUnique({ where: { key: KEY } });
  if (recorded?.value !== fingerprint) {
    throw new DatabaseProblem(
      'The data of this database was written with another SECRETS_KEY. Set SECRETS_KEY to that one: with this one no ' +
        'stored secret opens and no API key is recognised.',
    );
  }
}
