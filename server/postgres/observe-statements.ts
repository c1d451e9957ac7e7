/** Measures how long each statement takes, without the wait for a connection. */
import type pg from 'pg';

/** `name` is undefined for a statement without a name, such as those of Prisma. */
export type StatementObserver = (name: string | undefined, milliseconds: number) => void;

/** Call once per connection. Connections that are not observed have no overhead. */
export function observeStatementsOf(client: pg.ClientBase, observe: StatementObserver): void {
  const query: unknown = Reflect.get(client, 'query');
  if (!isFunction(query)) return;
  // pg accepts many forms of arguments. It calls the last one if it is a function, and otherwise returns a promise.
  const observed = (...args: unknown[]) => {
    const name = nameOf(args[0]);
    const startedAt = performance.now();
    const report = () => {
      observe(name, performance.now() - startedAt);
    };
    const callback = args.at(-1);
    if (isFunction(callback)) {
      args[args.length - 1] = (...results: unknown[]) => {
        report();
        callback(...results);
      };
    }
    const result = query.apply(client, args);
    if (result instanceof Promise) result.then(report, report);
    return result;
  };
  Object.assign(client, { query: observed });
}

function isFunction(value: unknown): value is (...args: unknown[]) => unknown {
  return typeof value === 'function';
}

const transactionControl = /^(begin|commit|rollback)$/i;

function nameOf(statement: unknown): string | undefined {
  const { label, text } = toConfig(statement);
  if (typeof label === 'string') return label;
  return typeof text === 'string' && transactionControl.test(text) ? text.toLowerCase() : undefined;
}

function toConfig(statement: unknown): { label?: unknown; text?: unknown } {
  return typeof statement === 'object' && statement !== null ? statement : { text: statement };
}
