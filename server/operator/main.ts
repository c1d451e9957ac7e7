/** `npm run operator -- …`: runs the operator's command line. */
import '../lib/system/supported-node.js';

// Loaded only by a Node that is new enough.
const { runOperator } = await import('./run-operator.js');

process.exitCode = await runOperator(process.argv.slice(2));
