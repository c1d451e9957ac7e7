/** `npm run mock`: an API to develop a client against, made of the contract's examples or of the service itself. */

import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { InvalidArgumentError, Option } from 'commander';
import { command } from './lib/command.js';
import { type Contract, parseContract } from './lib/contract.js';
import { Failure, runProgram } from './lib/failure.js';
import { inProject, displayPath } from './lib/project.js';
import { examplesBanner, statefulBanner } from './mock/banner.js';
import { type RunningMock, startMock } from './mock/listen.js';
import { startStatefulMock } from './mock/stateful.js';

interface Options {
  host: string;
  port: number;
  dynamic?: true;
  stateful?: true;
}

const options = command('mock', 'Serve the examples of the contract over HTTP.')
  .addOption(new Option('--port <number>', 'port').env('PORT').argParser(portNumber).default(4010))
  .option('--host <address>', 'address to listen on', '127.0.0.1')
  .option('--dynamic', 'vary the examples: new ids, times near now, longer lists')
  .addOption(
    new Option(
      '--stateful',
      'run the service itself on a temporary database, so that what is created can be listed',
    ).conflicts('dynamic'),
  )
  .parse()
  .opts<Options>();

function portNumber(text: string): number {
  const port = Number(text);
  if (Number.isInteger(port) && port > 0 && port < 65536) return port;
  throw new InvalidArgumentError('It must be a number from 1 to 65535.');
}

async function main(): Promise<void> {
  const { host, port } = options;
  const stopSignal = nextStopSignal();
  const file = inProject('generated/openapi.json');
  const text = await readFile(file, 'utf8').catch(() => {
    throw new Failure(`${displayPath(file)} cannot be read; create it with npm run generate.`);
  });
  const contract = parseContract(text);
  await assertPortIsFree(host, port);
  const mock = await start(contract);
  console.log(mock.banner);
  await stopSignal;
  await mock.stop();
}

async function start(contract: Contract): Promise<RunningMock & { banner: string }> {
  const { host, port, dynamic, stateful } = options;
  if (stateful) {
    const mock = await startStatefulMock(contract, { host, port });
    return { ...mock, banner: statefulBanner(contract, mock) };
  }
  const mock = await startMock(contract, { host, port, isDynamic: dynamic === true });
  return { ...mock, banner: examplesBanner(contract, mock.url) };
}

/** A start that was begun is finished first: interrupting it would leave a database behind. */
function nextStopSignal(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      process.on(signal, () => {
        resolve();
      });
    }
  });
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
