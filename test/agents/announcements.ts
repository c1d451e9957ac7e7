/** Changes without notifications, as after a lost LISTEN connection. */
import pg from 'pg';

/** Runs the work while notifications from transactions of this process reach no instance. */
export async function withoutNotifications<Result>(work: () => Promise<Result>): Promise<Result> {
  const { prototype } = pg.Client;
  const query = Reflect.get(prototype, 'query') as (...parameters: unknown[]) => unknown;
  Reflect.set(prototype, 'query', function (this: pg.Client, ...parameters: unknown[]) {
    return query.apply(this, parameters.map(onAnotherChannel));
  });
  try {
    return await work();
  } finally {
    Reflect.set(prototype, 'query', query);
  }
}

/** Prepared statements are left alone: changes are announced in transactions only. */
function onAnotherChannel(parameter: unknown): unknown {
  if (typeof parameter !== 'object' || parameter === null || !('text' in parameter)) {
    return parameter;
  }
  if ('submit' in parameter || typeof parameter.text !== 'string') return parameter;
  const text = parameter.text.replace('pg_notify($1,', `pg_notify($1::text || '_unheard',`);
  return { ...parameter, text };
}
