/** Tool calls that wait for approval: shows them, asks a person, and says how to decide later. */
import type { Decision, Decisions, InvocationResult, PendingApproval } from '../src/index.js';
import type { Context } from './context.js';
import { CommandError, exitCodes, ReportedError } from './exit-codes.js';
import type { LineEditor } from './line-editor.js';
import { jsonLines } from './output.js';
import { shellCommand } from './shell-quote.js';
import type { Line } from './terminal.js';
import { plural } from './text.js';
import { formatTimestamp } from './time.js';

/** The tool, and its arguments as they will be sent. */
function pendingLines({ call_id, tool, approver, expires_at, ...call }: PendingApproval): Line[] {
  const until = `${call_id}, until ${formatTimestamp(expires_at)}`;
  const needed = approver === 'caller' ? '' : `; needs the permission ${approver}`;
  return [
    [
      { style: 'yellow', text: 'Waits for approval:' },
      ' ',
      { style: 'bold', text: tool },
      { style: 'dim', text: `  ${until}${needed}` },
    ],
    ...jsonLines(call.arguments).map((line) => `  ${line}`),
  ];
}

const question = 'Approve? [y, n, or n and a reason] ';

/** Undefined if the person leaves any call undecided: nothing but an explicit answer approves a call. */
export async function askForDecisions(
  { output }: Context,
  editor: LineEditor,
  approvals: PendingApproval[],
): Promise<Decisions | undefined> {
  const decisions: [string, Decision][] = [];
  for (const approval of approvals) {
    pendingLines(approval).forEach(output.note);
    let decision: Decision | undefined;
    while (decision === undefined) {
      const answer = await editor.ask(question);
      if (typeof answer !== 'string') return undefined;
      decision = parseAnswer(answer.trim());
      if (decision === undefined) {
        output.note('Answer y or n. After n, you can write a reason. Ctrl-C leaves it undecided.');
      }
    }
    decisions.push([approval.call_id, decision]);
  }
  return Object.fromEntries(decisions);
}

function parseAnswer(answer: string): Decision | undefined {
  if (/^y(es)?$/i.test(answer)) return 'approve';
  const [rejection, reject] = /^no?(?:\s+([^]+))?$/i.exec(answer) ?? [];
  if (rejection === undefined) return undefined;
  return reject === undefined ? 'reject' : { reject };
}

/** Says how to decide the pending calls with another command. */
export function noteHowToDecide(
  { output }: Context,
  agent: string,
  result: InvocationResult,
): void {
  const { request_id, approvals = [] } = result;
  const decisions = approvals.flatMap(({ call_id }) => ['--approve', call_id]);
  const command = ['agent-hosting', 'agents', 'approve', agent, request_id, ...decisions];
  output.note(`To approve: ${shellCommand(command)}`);
  output.note('To reject a call: --reject CALL or --reject CALL=REASON in place of its --approve.');
}

/** Ends a command with an exit code of its own if the agent waits for approval. With `--json`, the result has the calls. */
export function requireCompletion(context: Context, agent: string, result: InvocationResult): void {
  if (result.status !== 'requires_approval') return;
  const { approvals } = result;
  approvals.flatMap(pendingLines).forEach(context.output.note);
  noteHowToDecide(context, agent, result);
  const message = `${plural(approvals.length, 'call')} must be decided.`;
  throw new ReportedError(message, { cause: new CommandError(message, exitCodes.undecided) });
}
