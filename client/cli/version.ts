/** The version of the package, as its package.json has it. */
import manifest from '../package.json' with { type: 'json' };

export const packageVersion = manifest.version;
