/** The key of the first start, which is shown until it is noted that it was. */
import { expect } from '@jest/globals';
import { eventually } from './eventually.js';
import { startServiceProcess } from './process.js';

/**
 * Starts the service until it has no key to show any more, and returns what it says instead. That one was shown is noted
 * afterwards: whoever ends in between shows it once more.
 */
export function startUntilKeyIsShown(environment: NodeJS.ProcessEnv): Promise<string> {
  return eventually(async () => {
    const service = await startServiceProcess({ environment });
    const [said] = await service.printed(/first_key_file|lost API key[^"\n]*/);
    await service.end('SIGTERM');
    expect(said).not.toBe('first_key_file');
    return said;
  }, 60_000);
}
