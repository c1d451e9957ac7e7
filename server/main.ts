/** `npm start`: runs the service, in this process or in several. */
import cluster from 'node:cluster';
import { startWorkers } from './assembly/cluster-primary.js';
import { joinPrimary } from './assembly/cluster-worker.js';
import { runProcess } from './assembly/run-process.js';
import { terminal } from './lib/terminal.js';
import { startService } from './service.js';
import { welcome } from './assembly/welcome.js';

await runProcess(async (config, log) => {
  if (cluster.isWorker) return joinPrimary(await startService(config, log, { embedded: 'join' }));
  const start = config.workers === 1 ? startService : startWorkers;
  const service = await start(config, log);
  terminal.print(...welcome(service));
  await service.firstKey?.confirmShown();
  return service;
});
