/** After a test run: nothing of it is left. */
export default async function endTestRun(): Promise<void> {
  await globalThis.endTestRun?.();
}
