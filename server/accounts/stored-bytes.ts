/**
 * Counts the bytes that accounts store in a day. An instance adds up what it stores and writes the sums once a second, so that no
 * invocation waits for a row that all invocations of its account change. The same statement tells what other instances have stored, so
 * a limit is exceeded by no more than about a second of requests on each instance.
 */
import type { Queryable } from '../postgres/connection.js';
import { addStoredBytes } from './daily-use.sql.js';

/** Reports bytes that are stored for an account. */
export type CountStored = (accountId: string, bytes: number) => void;

interface Day {
  /** What is not written yet. */
  unwritten: number;
  /** What all instances had stored when this one last wrote. */
  written: number;
  /** When the day ends, by this process's monotonic clock. Undefined: nothing was written yet. */
  endsAt: number | undefined;
}

interface Options {
  everyMs?: number;
  onError: (error: unknown) => void;
}

export class StoredBytes {
  readonly #database: Queryable;
  readonly #onError: (error: unknown) => void;
  readonly #days = new Map<string, Day>();
  /** Accounts whose day must be written, or read for the first time. */
  readonly #active = new Set<string>();
  readonly #timer: NodeJS.Timeout;
  #writing: Promise<void> | undefined;
  #isFailing = false;

  constructor(database: Queryable, { everyMs = 1_000, onError }: Options) {
    this.#database = database;
    this.#onError = onError;
    this.#timer = setInterval(() => void this.#write(), everyMs);
    this.#timer.unref();
  }

  readonly add: CountStored = (accountId, bytes) => {
    this.#dayOf(accountId).unwritten += bytes;
  };

  /** The seconds until the account may store more than it has; 0 if it may now. */
  secondsUntilFree(accountId: string, limit: number): number {
    if (limit === Infinity) return 0;
    const { unwritten, written, endsAt } = this.#dayOf(accountId);
    if (unwritten + written < limit) return 0;
    return endsAt === undefined ? 1 : Math.max(1, Math.ceil((endsAt - performance.now()) / 1_000));
  }

  /** Writes what is left, unless the database fails, which must not delay a stop. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#writing;
    if (!this.#isFailing) await this.#write();
  }

  #dayOf(accountId: string): Day {
    this.#active.add(accountId);
    const known = this.#days.get(accountId);
    if (known && (known.endsAt ?? Infinity) > performance.now()) return known;
    const day = { unwritten: known?.unwritten ?? 0, written: 0, endsAt: undefined };
    this.#days.set(accountId, day);
    return day;
  }

  #write(): Promise<void> {
    this.#writing ??= this.#writeActive()
      .then(
        () => {
          this.#isFailing = false;
        },
        (error: unknown) => {
          // Reported once per outage. What was counted is written afterwards.
          if (!this.#isFailing) this.#onError(error);
          this.#isFailing = true;
        },
      )
      .finally(() => {
        this.#writing = undefined;
      });
    return this.#writing;
  }

  async #writeActive(): Promise<void> {
    if (this.#active.size === 0) return;
    const bytes = new Map([...this.#active].map((id) => [id, this.#dayOf(id).unwritten]));
    // Without what is counted in the meantime, which is active again.
    this.#active.clear();
    try {
      for (const today of await addStoredBytes(this.#database, bytes)) {
        const { accountId } = today;
        const unwritten = this.#days.get(accountId)?.unwritten ?? 0;
        this.#days.set(accountId, {
          unwritten: unwritten - (bytes.get(accountId) ?? 0),
          written: today.bytes,
          endsAt: performance.now() + today.secondsLeft * 1_000,
        });
      }
    } catch (error) {
      for (const accountId of bytes.keys()) this.#active.add(accountId);
      throw error;
    }
    this.#forgetPastDays();
  }

  #forgetPastDays(): void {
    const now = performance.now();
    for (const [accountId, { endsAt = Infinity }] of this.#days) {
      if (endsAt <= now && !this.#active.has(accountId)) this.#days.delete(accountId);
    }
  }
}
