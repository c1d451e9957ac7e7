/**
 * `node dist/server/healthcheck.js`: exits with 0 if the service of this container is ready, and with 1 if it is not. It asks at the
 * port of the environment, over loopback, and with https where TLS is configured.
 */
import './lib/system/supported-node.js';

const [{ loadEnvironmentFile }, { readEnvironment }, { checkReadiness }] = await Promise.all([
  import('./config/config.js'),
  import('./config/environment.js'),
  import('./process/healthcheck.js'),
]);

loadEnvironmentFile();
process.exitCode = await checkReadiness(readEnvironment(process.env));
