/** `npm run operator -- …`: runs the operator's command line. */
import '../lib/system/supported-node.js';

const { runOperator } = await import('./operate.js');

process.exitCode = await runOperator(process.argv.slice(2));
