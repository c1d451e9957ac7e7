/** Runs a peer's server in this process, and announces it once it listens on PORT. Argument: its entry file. */
import { connect } from 'node:net';
import { pathToFileURL } from 'node:url';

const pollMs = 5;
const [, , entry = ''] = process.argv;
const port = Number(process.env['PORT']);

// Nothing leaves the machine: VoltAgent asks for announcements when it starts, and has no switch against it.
const { fetch: unguarded } = globalThis;
globalThis.fetch = (target, options) => {
  const { hostname } = new URL(target instanceof Request ? target.url : target);
  if (hostname === '127.0.0.1') return unguarded(target, options);
  return Promise.reject(new Error(`${hostname} is not asked by a benchmark.`));
};

await import(pathToFileURL(entry).href);
announceWhenListening();

function announceWhenListening() {
  const probe = connect({ port, host: '127.0.0.1' });
  probe.once('connect', () => {
    probe.destroy();
    console.log(`ready at http://127.0.0.1:${port}`);
  });
  probe.once('error', () => setTimeout(announceWhenListening, pollMs));
}
