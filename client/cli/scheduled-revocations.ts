/**
 * Revokes rotated keys after their grace period. The service cannot schedule a revocation, so the first `keys` command
 * after that time revokes them.
 */
import { readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { type AgentHosting, NotFoundError } from '../src/index.js';
import { configDirectory, parseJson, readPrivateFile, writePrivateFile } from './config-files.js';
import type { Context } from './context.js';

/** Each is stored in its own file, so that concurrent commands do not overwrite each other's. */
interface ScheduledRevocation {
  id: string;
  base_url: string;
  due: string;
}

export function revocationsDirectory(): string {
  return path.join(configDirectory(), 'ending-keys');
}

function fileOf(id: string): string {
  // Ids come from a service, so they are encoded to stay within the directory.
  return path.join(revocationsDirectory(), `${encodeURIComponent(id)}.json`);
}

export async function scheduleRevocation(id: string, baseUrl: string, due: string): Promise<void> {
  const revocation: ScheduledRevocation = { id, base_url: baseUrl, due };
  await writePrivateFile(fileOf(id), `${JSON.stringify(revocation)}\n`);
}

export async function cancelScheduledRevocation(id: string): Promise<void> {
  await rm(fileOf(id), { force: true });
}

/** The time at which each key is due, by key id. */
export async function readScheduledRevocations(baseUrl: string): Promise<Map<string, string>> {
  const directory = revocationsDirectory();
  const names = await readdir(directory).catch(() => []);
  const revocations = await Promise.all(
    names
      .filter((name) => name.endsWith('.json'))
      .map((name) => readScheduledRevocation(path.join(directory, name))),
  );
  return new Map(
    revocations.flatMap((revocation) =>
      revocation?.base_url === baseUrl ? [[revocation.id, revocation.due] as const] : [],
    ),
  );
}

async function readScheduledRevocation(file: string): Promise<ScheduledRevocation | undefined> {
  const value = parseJson((await readPrivateFile(file)) ?? '');
  return isScheduledRevocation(value) ? value : undefined;
}

function isScheduledRevocation(value: unknown): value is ScheduledRevocation {
  return (
    typeof value === 'object' &&
    value !== null &&
    ['id', 'base_url', 'due'].every((name) => typeof Reflect.get(value, name) === 'string')
  );
}

/** A failure is printed, and the next command tries again. */
export async function revokeDueKeys({ connection, output }: Context): Promise<void> {
  const { client, baseUrl } = await connection();
  for (const [id, due] of await readScheduledRevocations(baseUrl)) {
    if (Date.parse(due) > Date.now()) continue;
    try {
      await revokeKey(client, id);
      output.note(`The grace period of ${id} is over: it no longer works.`);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      output.note(`The grace period of ${id} is over, but it could not be revoked: ${reason}`);
    }
  }
}

/** A key that no longer exists counts as revoked. */
export async function revokeKey(client: AgentHosting, id: string): Promise<void> {
  try {
    await client.keys.revoke(id);
  } catch (error) {
    if (!(error instanceof NotFoundError)) throw error;
  }
  await cancelScheduledRevocation(id);
}
