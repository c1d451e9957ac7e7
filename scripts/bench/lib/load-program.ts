/** Runs the loads that its parent sends, in a process of its own, one after another. */
import { executeLoad, type Load } from './load.js';

process.on('message', (load: Load) => {
  executeLoad(load).then(
    (result) => process.send?.({ result }),
    (error: unknown) => process.send?.({ error: String(error) }),
  );
});
process.once('disconnect', () => process.exit(0));
