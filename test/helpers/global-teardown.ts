/** Stops the PostgreSQL of the test run, and removes what was built for it. */
import { rm } from 'node:fs/promises';

export default async function endTestRun(): Promise<void> {
  await globalThis.stopTestCluster?.();
  const { TEST_RUN_FOLDER: folder } = process.env;
  if (folder !== undefined) await rm(folder, { recursive: true, force: true });
}
