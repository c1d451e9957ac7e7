/** `npm start`: runs the service. */
import { runProcess } from './assembly/run-process.js';
import { startService } from './service.js';
import { welcome } from './assembly/welcome.js';

await runProcess(async (config, log) => {
  const service = await startService(config, log);
  process.stdout.write(welcome(service));
  return service;
});
