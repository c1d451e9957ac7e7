/** The operator's commands, as real processes. */
import { type ProgramOptions, startProgram } from './service-process.js';

export interface Operated {
  code: number | string;
  stdout: string;
  stderr: string;
}

export interface Operator {
  /** Runs a command, however it ends. */
  run: (args: string[], input?: string) => Promise<Operated>;
  /** The JSON document that a command prints; fails unless it ends well and says nothing else. */
  json: (...args: string[]) => Promise<unknown>;
}

export function operatorWith(environment: ProgramOptions['environment'] = {}): Operator {
  const run: Operator['run'] = async (args, input) => {
    const program = startProgram('server/operator/main.ts', args, {
      environment,
      ...(input === undefined ? {} : { input }),
    });
    const code = await program.ended;
    return { code, stdout: program.stdout(), stderr: program.stderr() };
  };
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
