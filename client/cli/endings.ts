/**
 * Remembers which replaced keys are to end, and when. The service ends no key by itself later, so the first `keys` command
 * after that time does.
 */
import { readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { type AgentHosting, NotFoundError } from '../src/index.js';
import { configFolder, parsed, readPrivate, writePrivate } from './config-folder.js';
import type { Context } from './context.js';

/** Each in a file of its own, so that commands that run at the same time do not lose what the other one wrote. */
interface Ending {
  id: string;
  base_url: string;
  due: string;
}

export function endingsFolder(): string {
  return path.join(configFolder(), 'ending-keys');
}

function fileOf(id: string): string {
  // Ids come from a service, and none of them may lead to another folder.
  return path.join(endingsFolder(), `${encodeURIComponent(id)}.json`);
}

export async function rememberEnding(id: string, baseUrl: string, due: string): Promise<void> {
  const ending: Ending = { id, base_url: baseUrl, due };
  await writePrivate(fileOf(id), `${JSON.stringify(ending)}\n`);
}

export async function forgetEnding(id: string): Promise<void> {
  await rm(fileOf(id), { force: true });
}

/** When which keys of the service are to end. */
export async function readEndings(baseUrl: string): Promise<Map<string, string>> {
  const names = await readdir(endingsFolder()).catch(() => []);
  const found = await Promise.all(
    names
      .filter((name) => name.endsWith('.json'))
      .map(async (name) => readEnding(path.join(endingsFolder(), name))),
  );
  return new Map(
    found.flatMap((one) => (one?.base_url === baseUrl ? [[one.id, one.due] as const] : [])),
  );
}

async function readEnding(file: string): Promise<Ending | undefined> {
  const value = parsed((await readPrivate(file)) ?? '');
  return isEnding(value) ? value : undefined;
}

function isEnding(value: unknown): value is Ending {
  return (
    typeof value === 'object' &&
    value !== null &&
    ['id', 'base_url', 'due'].every((name) => typeof Reflect.get(value, name) === 'string')
  );
}

/** Ends the keys whose time has come. What it cannot do it says, and leaves to the next command. */
export async function endDueKeys({ connection, output }: Context): Promise<void> {
  const { client, baseUrl } = await connection();
  for (const [id, due] of await readEndings(baseUrl)) {
    if (Date.parse(due) > Date.now()) continue;
    try {
      await endKey(client, id);
      output.note(`The grace of ${id} is over: it no longer works.`);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      output.note(`The grace of ${id} is over, but it could not be ended: ${reason}`);
    }
  }
}

/** A key that is gone already is as good as ended. */
export async function endKey(client: AgentHosting, id: string): Promise<void> {
  try {
    await client.keys.revoke(id);
  } catch (error) {
    if (!(error instanceof NotFoundError)) throw error;
  }
  await forgetEnding(id);
}
