/** For what must not be left undone, such as releasing a lease, although the database is in trouble at first. */
import { setTimeout as delay } from 'node:timers/promises';

const pauseMs = 1_000;

/**
 * Waits for the first attempt only: whoever is told of a failure may try again at once. If it fails, the attempt is repeated
 * in the background. Never rejects.
 */
export async function persistently(
  attempt: () => Promise<unknown>,
  { maxAttempts }: { maxAttempts: number },
): Promise<void> {
  const succeeds = () =>
    attempt().then(
      () => true,
      () => false,
    );
  const repeat = async () => {
    for (let n = 1; n < maxAttempts; n += 1) {
      await delay(pauseMs, undefined, { ref: false });
      if (await succeeds()) return;
    }
  };
  if (!(await succeeds())) void repeat();
}
