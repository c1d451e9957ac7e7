/** `npm start`: runs the service. */
import './lib/supported-node.js';

const [{ runProcess }, { startService }, { announce }] = await Promise.all([
  import('./assembly/run-process.js'),
  import('./service.js'),
  import('./assembly/announce.js'),
]);

await runProcess(async (config, log) => {
  const service = await startService(config, log);
  await announce(service, config, log);
  return service;
});
