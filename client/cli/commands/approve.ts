/** `agent-hosting agents approve`: decides the tool calls that an invocation waits with, and streams the reply. */
import type { Command } from 'commander';
import type { Decision, Decisions } from '../../src/index.js';
import type { Runner } from '../context.js';
import { CommandError, exitCodes } from '../exit-codes.js';
import { printReply, type ReplyOptions } from '../reply.js';

interface ApproveOptions extends ReplyOptions {
  approve: string[];
  reject: string[];
  message?: string;
  idempotencyKey?: string;
}

export function addApproveCommand(agents: Command, run: Runner): void {
  agents
    .command('approve')
    .description('approve or reject the tool calls that an invocation waits with')
    .argument('<agent>', 'its name or id')
    .argument('<request>', 'the id of the invocation that waits')
    .option('--approve <call>', 'approve this call; repeatable', collect, [])
    .option('--reject <call>', 'reject this call, with a reason as CALL=REASON', collect, [])
    .option('--message <text>', 'what the user says next (default: what was decided)')
    .option('--stream', 'with --json: print each event as it arrives, one per line')
    .option('--no-stream', 'wait for the whole reply')
    .option('--idempotency-key <key>', 'repeat the command with the same key: it decides once')
    .addHelpText('after', approveHelp)
    .action(
      run(async (context, options: ApproveOptions, agent = '', requestId = '') => {
        const { message, idempotencyKey } = options;
        const decisions = readDecisions(options);
        const { agents: api } = await context.client();
        // Without a token of the person who decides: the tools act with that of the user.
        const shared = { message, idempotencyKey };
        await printReply(context, options, {
          agent,
          stream: (signal) =>
            api.resume(agent, requestId, decisions, { ...shared, signal, stream: true }),
          request: (signal) => api.resume(agent, requestId, decisions, { ...shared, signal }),
        });
      }),
    );
}

const approveHelp = `
Every pending call must be decided, all of them at once and only once. The
reply goes to standard output. If it waits for approval again, the exit code
is 7 again.

Examples:
  agent-hosting agents approve support-bot req_01m6dsg7e0eha8ks12y199e68y --approve call_1
  agent-hosting agents approve support-bot req_01m6dsg7e0eha8ks12y199e68y --approve call_1 --reject "call_2=over the limit"`;

function collect(value: string, previous: string[]): string[] {
  return [...previous, value];
}

function readDecisions({ approve, reject }: ApproveOptions): Decisions {
  const rejected = reject.map((text): [string, Decision] => {
    const [, call = '', reason = ''] = /^([^=]*)=?([^]*)$/.exec(text) ?? [];
    return [call, reason.trim() === '' ? 'reject' : { reject: reason }];
  });
  const decisions = [...approve.map((call): [string, Decision] => [call, 'approve']), ...rejected];
  const calls = decisions.map(([call]) => call);
  const repeated = calls.find((call, index) => calls.indexOf(call) < index);
  if (repeated !== undefined) {
    throw new CommandError(`${repeated} is decided twice.`, exitCodes.usage);
  }
  if (calls.length > 0) return Object.fromEntries(decisions);
  throw new CommandError('No call is decided.', exitCodes.usage, [
    'Name each pending call: --approve CALL, --reject CALL or --reject CALL=REASON',
  ]);
}
