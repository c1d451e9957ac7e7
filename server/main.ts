/** `npm start`: runs the service. */
import { runProcess } from './assembly/run-process.js';
import { terminal } from './lib/terminal.js';
import { startService } from './service.js';
import { welcome } from './assembly/welcome.js';

await runProcess(async (config, log) => {
  const service = await startService(config, log);
  terminal.print(...welcome(service));
  await service.firstKey?.confirmShown();
  return service;
});
