/** Makes sure that the service opens its database with the SECRETS_KEY that the data was written with. */
import { DatabaseProblem } from './connection-problem.js';
import type { Connection } from './connection.js';

const KEY = 'secrets_key_fingerprint';

/** The first call on a database records the fingerprint; a later one with another key is refused. */
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
