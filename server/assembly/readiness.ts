/** Reports whether the service can serve requests: it needs its database, and to write to it. */
import type { ReadinessCheck } from '../http/machine-endpoints.js';
import type { Database } from '../store/postgres/database.js';

export function databaseReadiness(database: Database): ReadinessCheck {
  return async () => {
    try {
      const { isReadOnly } = await database.check();
      return isReadOnly ? 'The database is read-only.' : undefined;
    } catch {
      return 'The database does not answer.';
    }
  };
}
