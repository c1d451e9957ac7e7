/** `agent-hosting evaluate`: runs cases in an environment, and compares it with another one. */
import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import type { Command } from 'commander';
import { errorCode } from '../config-files.js';
import type { Context, Runner } from '../context.js';
import { reportOf } from '../evaluation/report.js';
import { type CaseResult, runCases } from '../evaluation/run-cases.js';
import { CommandError, exitCodes, ReportedError } from '../exit-codes.js';
import { parsePositiveInteger } from '../option-parsers.js';

interface EvaluateOptions {
  file: string;
  environment: string;
  against?: string;
  concurrency: number;
  verbose?: boolean;
}

export function defineEvaluate(command: Command, run: Runner): void {
  command
    .argument('<agent>', 'its name or id')
    .requiredOption('-f, --file <path>', 'the cases, in YAML; - reads them from standard input')
    .option('--environment <name>', 'where the cases must pass', 'draft')
    .option('--against <name>', 'an environment to compare it with')
    .option('--concurrency <number>', 'how many run at a time', parsePositiveInteger, 4)
    .option('--verbose', 'print the answers of cases that pass, too')
    .addHelpText('after', evaluateHelp)
    .action(run(evaluate));
}

const evaluateHelp = `
The file is a list of cases. "expect" is optional; all that it has must hold:

  - name: says where an order is
    message: Where is my order 5512?
    context: { user_id: user-2041 }
    expect:
      contains: warehouse
      matches: /order \\d+/i
  - message: Answer in JSON. Is order 5512 paid?
    expect:
      equals: { paid: true }

Tools act for real. Nothing is remembered, unless a case sets "remember: true"
in its context. An answer that waits for approval fails, and its calls are not
made.

The exit code is 1 if a case fails in --environment; what fails in --against
does not count. If the key is refused, or the agent or an environment is not
found, nothing further runs, and the exit code is 3 or 4.

Examples:
  agent-hosting evaluate support-bot -f cases.yaml
  agent-hosting evaluate support-bot -f cases.yaml --environment staging --against production`;

async function evaluate(context: Context, options: EvaluateOptions, agent = ''): Promise<void> {
  const { file, environment, against, concurrency, verbose: isVerbose = false } = options;
  if (against === environment) {
    throw new CommandError('--against names the same environment.', exitCodes.usage);
  }
  const environments = [environment, ...(against === undefined ? [] : [against])];
  const cases = await readCases(file);
  const client = await context.client();
  const { terminal, output } = context;
  const total = cases.length * environments.length;
  const showProgress = progressOf(context, total);
  showProgress();
  try {
    const results = await runCases({
      client,
      agent,
      cases,
      environments,
      concurrency: Math.min(concurrency, total),
      signal: context.interruptSignal(),
      onResult: showProgress,
    });
    terminal.progress('');
    const passed = results.every(({ results: [first] }) => first?.passed === true);
    const shown = { cases: results, environments, isVerbose, width: terminal.columns };
    output.result(output.isJson ? '' : reportOf(shown), { agent, passed, cases: results });
    if (!passed) throw new ReportedError('A case has failed.');
  } finally {
    terminal.progress('');
  }
}

/** On standard error, if that is a terminal, and not with `--json`. Call it at the beginning and with each result. */
function progressOf({ terminal, output }: Context, total: number): (result?: CaseResult) => void {
  let [done, failed] = [0, 0];
  if (output.isJson || terminal.noteColumns === undefined) return () => undefined;
  return (result) => {
    if (result) done += 1;
    if (result?.passed === false) failed += 1;
    const failures = failed === 0 ? '' : `, ${failed} failed`;
    terminal.progress([{ style: 'dim', text: `${done} of ${total} done${failures}` }]);
  };
}

async function readCases(file: string) {
  // Loaded only here, since the parser is as long as the rest of the command line.
  const { parseCases } = await import('../evaluation/case-file.js');
  if (file === '-') return parseCases(await text(process.stdin), 'standard input');
  const content = await readFile(file, 'utf8').catch((error: unknown) => {
    const reason = String(errorCode(error));
    throw new CommandError(`--file: cannot read '${file}' (${reason}).`, exitCodes.usage);
  });
  return parseCases(content, file);
}
