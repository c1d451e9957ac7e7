/** The API key of the first start, which is printed until the service has recorded that it was. */
import { expect } from '@jest/globals';
import { eventually } from '../helpers/eventually.js';
import { startServiceProcess } from '../helpers/programs/process.js';

/**
 * Restarts the service until it prints no key, and returns what it prints instead. The service records that the key was
 * printed after printing it, so a process that stops in between prints the key again.
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
