/** Runs a peer's server in this process, and announces it once it listens on PORT. Argument: its entry file. */
import { connect } from 'node:net';
import { pathToFileURL } from 'node:url';

const pollMs = 5;
const [, , entry = ''] = process.argv;
const port = Number(process.env['PORT']);

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
