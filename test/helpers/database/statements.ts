/** Records the statements that the service sends to PostgreSQL, both from Prisma and hand-written. */
import pg from 'pg';

export interface SentStatement {
  text: string;
  values: unknown[];
}

/** Runs the work, and returns all statements that services in this process sent meanwhile. The work can read them too. */
export async function recordStatements(
  work: (sent: readonly SentStatement[]) => Promise<unknown>,
): Promise<SentStatement[]> {
  const sent: SentStatement[] = [];
  await whileObserving(
    (statement) => {
      sent.push(statement);
      return undefined;
    },
    () => work(sent),
  );
  return sent;
}

/** Runs the work, and returns the largest number of statements with this part that waited for the database at the same time. */
export async function mostAtOnce(part: string, work: () => Promise<unknown>): Promise<number> {
  let running = 0;
  let most = 0;
  await whileObserving(({ text }) => {
    if (!text.includes(part)) return undefined;
    running += 1;
    most = Math.max(most, running);
    return () => {
      running -= 1;
    };
  }, work);
  return most;
}

/** Is told of every statement, and may return what is to be called when the statement has ended. */
type Observer = (statement: SentStatement) => (() => void) | undefined;

async function whileObserving(observe: Observer, work: () => Promise<unknown>): Promise<void> {
  const { prototype } = pg.Client;
  const query = Reflect.get(prototype, 'query') as (...parameters: unknown[]) => unknown;
  Reflect.set(prototype, 'query', function (this: pg.Client, ...parameters: unknown[]) {
    const [statement, given] = parameters;
    const { text, values = given } =
      typeof statement === 'string'
        ? { text: statement }
        : (statement as { text: string; values?: unknown });
    const onEnd = observe({ text, values: Array.isArray(values) ? values : [] });
    const callback = parameters.at(-1);
    // A pool passes a callback, and a transaction awaits a promise.
    if (onEnd && typeof callback === 'function') {
      parameters[parameters.length - 1] = (...results: unknown[]) => {
        onEnd();
        Reflect.apply(callback, undefined, results);
      };
    }
    const result = query.apply(this, parameters);
    if (onEnd && result instanceof Promise) void result.then(onEnd, onEnd);
    return result;
  });
  try {
    await work();
  } finally {
    Reflect.set(prototype, 'query', query);
  }
}
