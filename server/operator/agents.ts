/** `operator agents`: makes agents from manifests, and looks after them. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import type { Command } from 'commander';
import type { AgentManifest } from '../../generated/manifest.js';
import { applyManifest } from '../domain/agents/manifests.js';
import {
  type AgentListing,
  deleteAgent,
  getAgent,
  listAgents,
  setAgentStatus,
  type StoredAgent,
} from '../domain/agents/agents.js';
import { messageOf } from '../lib/error-code.js';
import { findDraft } from '../store/agent-drafts.js';
import { confirm } from './confirm.js';
import { CommandFailure } from './failure.js';
import { withAbsolutePaths } from './manifest-paths.js';
import { readManifest } from './manifest.js';
import { maskSecrets } from './masking.js';
import { assertUsablePolicy, notesOn } from './policy.js';
import type { Run } from './context.js';

const json = ({ id, name, status, createdAt }: AgentListing) => ({
  id,
  name,
  status,
  created_at: createdAt.toISOString(),
});

export function addAgentCommands(operator: Command, run: Run): void {
  const agents = operator.command('agents').description('the agents of an account');

  agents
    .command('apply')
    .description('make an agent, or bring it into line with its manifest')
    .requiredOption('-f, --file <file>', 'the manifest, in YAML or JSON; - for standard input')
    .action(({ file }: { file: string }) =>
      run(async ({ config, database, models, account, output }) => {
        const manifest = await loadManifest(file);
        await assertUsablePolicy(manifest, config);
        const { id: accountId } = await account();
        const { id, outcome, changed } = await applyManifest(database, models, accountId, manifest);
        const details = changed.length > 0 ? ` (${changed.join(', ')})` : '';
        const notes = await notesOn(database, manifest, id, config);
        output.done([`Agent '${manifest.name}' ${outcome}${details}.`, ...notes].join('\nNote: '), {
          id,
          outcome,
          changed,
          ...(notes.length > 0 ? { notes } : {}),
        });
      }),
    );

  agents
    .command('list')
    .description('list the agents of the account by name')
    .action(() =>
      run(async ({ database, caller, output }) => {
        const { items } = await listAgents(database, await caller(), {
          status: undefined,
          name: undefined,
          sort: 'name',
          limit: 1_000_000,
          offset: 0,
        });
        output.table(
          items,
          [
            { title: 'name', value: ({ name }) => name },
            { title: 'status', value: ({ status }) => status },
            { title: 'id', value: ({ id }) => id },
            { title: 'created', value: ({ createdAt }) => createdAt.toISOString() },
          ],
          json,
        );
      }),
    );

  agents
    .command('get')
    .description('show an agent with its draft configuration; secrets are masked')
    .argument('<agent>', 'its id or name')
    .action((reference: string) =>
      run(async ({ database, caller, output }) => {
        const who = await caller();
        const agent = await getAgent(database, who, reference);
        const configuration = await findDraft(database, who.accountId, agent.name);
        const whole = { ...json(agent), ...maskSecrets(configuration ?? {}) };
        output.done(JSON.stringify(whole, null, 2), whole);
      }),
    );

  addStatusCommand(
    agents,
    run,
    'stop',
    'stopped',
    'refuse invocations with a 409 until it is started',
  );
  addStatusCommand(agents, run, 'start', 'running', 'take invocations again');

  agents
    .command('delete')
    .description('delete an agent with all that belongs to it')
    .argument('<agent>', 'its id or name')
    .option('--yes', 'do not ask', false)
    .action((reference: string, options: { yes: boolean }) =>
      run(async ({ database, caller, output }) => {
        const who = await caller();
        const { name } = await getAgent(database, who, reference);
        await confirm(
          `Delete agent '${name}' with its deployments, memory, logs, webhooks and keys?`,
          options,
        );
        const id = await deleteAgent(database, who, reference);
        output.done(`Agent '${name}' is deleted.`, { id, deleted: true });
      }),
    );
}

function addStatusCommand(
  agents: Command,
  run: Run,
  verb: string,
  status: StoredAgent['status'],
  description: string,
): void {
  agents
    .command(verb)
    .description(description)
    .argument('<agent>', 'its id or name')
    .action((reference: string) =>
      run(async ({ database, caller, output }) => {
        const agent = await setAgentStatus(database, await caller(), reference, status);
        output.done(`Agent '${agent.name}' is ${status}.`, json(agent));
      }),
    );
}

async function loadManifest(file: string): Promise<AgentManifest> {
  const reading = readManifest(await readText(file));
  if ('problems' in reading) {
    const lines = reading.problems.map(
      ({ line, column, message }) => `${file}:${line}:${column}  ${message}`,
    );
    throw new CommandFailure(['The manifest does not fit its schema:', ...lines].join('\n'));
  }
  return withAbsolutePaths(reading.manifest, file === '-' ? '.' : path.dirname(file));
}

async function readText(file: string): Promise<string> {
  try {
    return await (file === '-' ? text(process.stdin) : readFile(file, 'utf8'));
  } catch (error) {
    throw new CommandFailure(`${file} cannot be read: ${messageOf(error)}`);
  }
}
