/** Runs operator commands, either as real processes or in the test process, which is faster. */
import { loadConfig } from '../../../server/config/config.js';
import { createTerminal } from '../../../server/lib/system/terminal.js';
import { accountContext } from '../../../server/operator/context.js';
import { installation } from '../../../server/operator/installation.js';
import { createOutput } from '../../../server/operator/output.js';
import { createProgram } from '../../../server/operator/program.js';
import { runCommandLine } from '../../../server/operator/run-command-line.js';
import { type ProgramOptions, startBuilt } from '../programs/process.js';
import { environmentFor, type Environment, testSecrets, type TestService } from './service.js';

export interface CommandOutcome {
  code: number | string;
  stdout: string;
  stderr: string;
}

export interface Operator {
  /** Runs a command and returns its outcome, also if it fails. */
  run: (args: string[], input?: string) => Promise<CommandOutcome>;
  /** The JSON output of a command; fails unless the command succeeds and prints nothing else. */
  json: (...args: string[]) => Promise<unknown>;
}

/** Runs each command as a separate process. */
export function operatorProcess(environment: () => Environment): Operator {
  return withJson(async (args, input) => {
    const options: ProgramOptions = { environment: environment() };
    if (input !== undefined) options.input = input;
    const program = await startBuilt('server/operator/main', args, options);
    const code = await program.ended;
    return { code, stdout: program.stdout(), stderr: program.stderr() };
  });
}

/** Runs each command in the test process, on the open database of a service. */
export function operatorInProcess(
  service: Pick<TestService, 'database' | 'databaseUrl'>,
  environment: Environment = {},
): Operator {
  return withJson(async (args) => {
    const { database } = service;
    const config = loadConfig({ ...environmentFor(service), ...environment });
    const said = { out: '', err: '' };
    const terminal = createTerminal(
      (text) => void (said.out += text),
      (text) => void (said.err += text),
    );
    const program = createProgram(
      ({ account, json }, command) =>
        command({
          ...accountContext(database, account, terminal.printError),
          config,
          database,
          secrets: testSecrets,
          output: createOutput(json ?? false, terminal),
        }),
      ({ json }, command) =>
        command(
          installation(json ?? false, terminal, { ...environmentFor(service), ...environment }),
        ),
    );
    const code = await runCommandLine(program, args, terminal);
    return { code, stdout: said.out, stderr: said.err };
  });
}

function withJson(run: Operator['run']): Operator {
  return {
    run,
    json: async (...args) => {
      const { code, stdout, stderr } = await run([...args, '--json']);
      if (code !== 0 || stderr !== '') {
        throw new Error(`operator ${args.join(' ')} ended with ${code}: ${stdout}${stderr}`);
      }
      return JSON.parse(stdout) as unknown;
    },
  };
}
