/** Stops the PostgreSQL of the test run. */
export default async function stopTestCluster(): Promise<void> {
  await globalThis.stopTestCluster?.();
}
