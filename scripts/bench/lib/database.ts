/** Opens the database of a benchmark, to prepare what is measured. */
import { type Database, openDatabase } from '../../../server/store/database.js';

export function openBenchDatabase(url: string, poolSize = 2): Promise<Database> {
  return openDatabase({ url, poolSize, connectTimeoutMs: 5_000, statementTimeoutMs: 30_000 });
}
