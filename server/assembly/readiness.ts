/**
 * Reports whether the service can serve requests: it needs its database. One that is read-only will do, since reads are served: were
 * that not ready, a load balancer would remove every instance, and with them the reads.
 */
import type { ReadinessCheck } from '../http/machine-endpoints.js';
import type { Database } from '../store/postgres/database.js';

export function databaseReadiness(database: Database): ReadinessCheck {
  return async () => {
    try {
      const { isReadOnly } = await database.check();
      return isReadOnly ? { database: 'read-only' } : {};
    } catch {
      return { problem: 'The database does not answer.' };
    }
  };
}
