/** `npm run mock`: an API for client development, based on the contract's examples or on the service itself. */

import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { InvalidArgumentError, Option } from 'commander';
import { operations } from '../generated/operations.js';
import { interruptible } from '../server/lib/system/interrupt.js';
import { serviceVersion } from '../server/contract/project-files.js';
import { command } from './lib/command.js';
import { parseContract } from './lib/contract.js';
import { Failure, runProgram } from './lib/failure.js';
import { inProject, displayPath } from './lib/project.js';
import { startMock } from './mock/app.js';
import { startStatefulMock } from './mock/stateful.js';

interface Options {
  host: string;
  port: number;
  delay: number;
  dynamic?: true;
  stateful?: true;
}

const options = command('mock', 'Serve the examples of the contract over HTTP.')
  .addOption(
    new Option('--port <number>', 'port')
      .env('PORT')
      .argParser(wholeNumber(1, 65_535))
      .default(4010),
  )
  .option('--host <address>', 'address to listen on', '127.0.0.1')
  .option('--delay <ms>', 'pause between the events of a stream', wholeNumber(0, 60_000), 40)
  .option('--dynamic', 'vary the examples: new ids, times near now, longer lists')
  .addOption(
    new Option(
      '--stateful',
      'run the service itself on a temporary database, so that created resources can be listed',
    ).conflicts(['delay', 'dynamic']),
  )
  .parse()
  .opts<Options>();

function wholeNumber(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= min && value <= max) return value;
    throw new InvalidArgumentError(`It must be a whole number from ${min} to ${max}.`);
  };
}

/** A signal during the start takes effect afterwards, since interrupting the start would leave a database behind. */
async function main(stopSignal: AbortSignal): Promise<void> {
  const { host, port, delay: delayMs, dynamic: isDynamic = false, stateful } = options;
  const file = inProject('generated/openapi.json');
  const text = await readFile(file, 'utf8').catch(() => {
    throw new Failure(`${displayPath(file)} cannot be read; create it with npm run generate.`);
  });
  const contract = parseContract(text);
  await assertPortIsFree(host, port);
  const { url, key, stop } = stateful
    ? await startStatefulMock(contract, { host, port })
    : { key: 'any-key', ...(await startMock(contract, { host, port, isDynamic, delayMs })) };
  const curl = `curl ${url}${operations.listAgents.path} -H 'Authorization: Bearer ${key}'`;
  const about = stateful
    ? `This is the service itself with the agent echo. Its data is deleted at the end.

  Key:              ${key}
  Try it:           ${curl}`
    : `Every operation responds with the examples of the contract, and rejects invalid requests as the service does.

  Try it:           ${curl}
  Another status:   ${curl} -H 'Prefer: code=429'
  Varied values:    ${curl} -H 'Prefer: dynamic=true'`;
  console.log(`
${contract.info.title} ${serviceVersion}, mocked at ${url}
The documentation is at ${url}/docs. Stop with Ctrl-C.

${about}
`);
  if (!stopSignal.aborted) await once(stopSignal, 'abort');
  await stop();
}

/** Checked first, since starting a database takes a second. */
async function assertPortIsFree(host: string, port: number): Promise<void> {
  const probe = createServer().listen(port, host);
  await once(probe, 'listening').catch((error: unknown) => {
    throw new Failure(
      `Cannot listen on ${host}:${port} (${String(error)}). Choose another port with --port or PORT, or stop the program that uses it.`,
    );
  });
  await once(probe.close(), 'close');
}

await runProgram(() => interruptible(main));
