/**
 * How far the memory entries are embedded, with a lease for the instance that embeds the next ones.
 * Why SQL: the lease expires by the database's clock, with which Prisma cannot compare.
 */
import type { Connection, Statement } from '../postgres/connection.js';
import { objectOf } from '../postgres/json.js';

export interface Progress {
  model: string;
  /** Every entry up to this id is embedded. */
  through: string;
}

const key = 'memory_embeddings';

/** Starts over if the model has changed, because vectors of different models cannot be compared. */
export async function readProgress({ prisma }: Connection, model: string): Promise<Progress> {
  const setting = await prisma.setting.findUnique({ where: { key } });
  const { model: storedModel, through }: Partial<Progress> = objectOf(setting?.value ?? null) ?? {};
  return { model, through: storedModel === model && through !== undefined ? through : '' };
}

const claim: Statement = {
  name: 'memory_embeddings_claim',
  text: `
    UPDATE settings SET value = jsonb_build_object('model', $1::text, 'through', $2::text, 'until', clock.ms + $3::bigint)
      FROM (SELECT floor(extract(epoch FROM now()) * 1000)::bigint AS ms) AS clock
     WHERE key = '${key}' AND (value ->> 'until')::bigint <= clock.ms
    RETURNING clock.ms::float8 AS ms`,
};

/** Acquires the lease and returns the database's time; undefined while another instance holds it. */
export async function claimProgress(
  database: Connection,
  { model, through }: Progress,
  leaseMs: number,
): Promise<Date | undefined> {
  const free = { model, through, until: 0 };
  await database.prisma.setting.createMany({ data: { key, value: free }, skipDuplicates: true });
  const [claimed] = await database.run<{ ms: number }>(claim, [model, through, leaseMs]);
  return claimed && new Date(claimed.ms);
}

/** Stores the progress and releases the lease. */
export async function saveProgress({ prisma }: Connection, progress: Progress): Promise<void> {
  const value = { ...progress, until: 0 };
  await prisma.setting.upsert({ where: { key }, create: { key, value }, update: { value } });
}
