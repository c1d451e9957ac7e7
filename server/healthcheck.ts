/**
 * `node dist/server/healthcheck.js`: exits with 0 if the service in this container is ready, and with 1 otherwise. It sends a request
 * to the configured port over loopback, with https if TLS is configured.
 */
import './lib/system/supported-node.js';

const [{ loadEnvironmentFile }, { readEnvironment }, { checkReadiness }] = await Promise.all([
  import('./config/config.js'),
  import('./config/environment.js'),
  import('./process/healthcheck.js'),
]);

loadEnvironmentFile();
process.exitCode = await checkReadiness(readEnvironment(process.env));
