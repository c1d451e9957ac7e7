/** Reports whether the service can serve requests: it needs its database. */
import type { ReadinessCheck } from '../http/machine-endpoints.js';
import type { Database } from '../store/database.js';

export function databaseReadiness(database: Database): ReadinessCheck {
  return async () => {
    try {
      await database.ping();
      return undefined;
    } catch {
      return 'The database does not answer.';
    }
  };
}
