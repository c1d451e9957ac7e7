/** Removes everything after a test run. */
export default async function endTestRun(): Promise<void> {
  await globalThis.endTestRun?.();
}
