/** `npm run mock`: serves the examples of the contract over HTTP, to develop a client without the service. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { createInterface } from 'node:readline';
import { InvalidArgumentError, Option } from 'commander';
import { command } from './lib/command.js';
import { parseContract } from './lib/contract.js';
import { Failure, runProgram } from './lib/failure.js';
import { inProject, programs, displayPath } from './lib/project.js';
import { banner } from './mock/banner.js';
import { withoutCallbacks } from './mock/document.js';

interface Options {
  host: string;
  port: number;
  dynamic?: boolean;
}

const options = command('mock', 'Serve the examples of the contract over HTTP.')
  .addOption(new Option('--port <number>', 'port').env('PORT').argParser(portNumber).default(4010))
  .option('--host <address>', 'address to listen on', '127.0.0.1')
  .option('--dynamic', 'generate values from the schemas instead of the examples')
  .parse()
  .opts<Options>();

function portNumber(text: string): number {
  const port = Number(text);
  if (Number.isInteger(port) && port > 0 && port < 65536) return port;
  throw new InvalidArgumentError('It must be a number from 1 to 65535.');
}

async function main(): Promise<void> {
  const { host, port, dynamic } = options;
  const file = inProject('generated/openapi.json');
  const text = await readFile(file, 'utf8').catch(() => {
    throw new Failure(`${displayPath(file)} cannot be read; create it with npm run generate.`);
  });
  const contract = parseContract(text);
  await assertPortIsFree(host, port);

  const args = [
    'mock',
    await withoutCallbacks(contract),
    '--host',
    host,
    '--port',
    String(port),
    '--cors',
  ];
  const prism = spawn(
    process.execPath,
    [programs.prism, ...args, '--multiprocess=false', `--dynamic=${dynamic === true}`],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      stop.abort();
      prism.kill(signal);
    });
  }
  const ended = once(prism, 'exit');

  // Prism's output before it listens is printed only if it fails to start.
  let startup: string[] | undefined = [];
  for await (const line of createInterface({ input: prism.stdout })) {
    if (startup === undefined) {
      console.log(line);
    } else if (line.includes('Prism is listening')) {
      startup = undefined;
      console.log(banner(contract, `http://${host}:${port}`));
    } else {
      startup.push(line);
    }
  }
  await ended;
  if (stop.signal.aborted) return;
  throw new Failure(
    [...(startup ?? []), 'The mock server exited unexpectedly.'].join('\n'),
    prism.exitCode ?? 1,
  );
}

async function assertPortIsFree(host: string, port: number): Promise<void> {
  const probe = createServer().listen(port, host);
  try {
    await once(probe, 'listening');
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Failure(
      `Cannot listen on ${host}:${port} (${reason}). Choose another port with --port or PORT, or stop what runs there.`,
    );
  }
  probe.close();
  await once(probe, 'close');
}

await runProgram(main);
