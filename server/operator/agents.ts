/** `operator agents`: creates agents from manifests, and manages them. */
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
import { parseManifest } from './manifest.js';
import { maskSecrets } from './masking.js';
import { jsonLines } from './output.js';
import { assertUsablePolicy, policyNotes } from './policy.js';
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
    .description('create an agent from its manifest, or update it')
    .requiredOption('-f, --file <file>', 'manifest in YAML or JSON; - for standard input')
    .action(({ file }: { file: string }) =>
      run(async ({ config, database, models, account, output }) => {
        const manifest = await loadManifest(file);
        await assertUsablePolicy(manifest, config);
        const { id: accountId } = await account();
        const { id, outcome, changed } = await applyManifest(database, models, accountId, manifest);
        const details = changed.length > 0 ? ` (${changed.join(', ')})` : '';
        const notes = await policyNotes(database, manifest, id, config);
        output.done(
          [
            `Agent '${manifest.name}' ${outcome}${details}.`,
            ...notes.map((note) => `Note: ${note}`),
          ],
          { id, outcome, changed, ...(notes.length > 0 ? { notes } : {}) },
        );
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
        const operator = await caller();
        const agent = await getAgent(database, operator, reference);
        const draft = await findDraft(database, operator.accountId, agent.name);
        const shown = { ...json(agent), ...maskSecrets(draft ?? {}) };
        output.done(jsonLines(shown), shown);
      }),
    );

  addStatusCommand(
    agents,
    run,
    'stop',
    'stopped',
    'stop an agent: invocations get a 409 until it is started',
  );
  addStatusCommand(agents, run, 'start', 'running', 'start an agent that was stopped');

  agents
    .command('delete')
    .description('delete an agent and everything that belongs to it')
    .argument('<agent>', 'its id or name')
    .option('--yes', 'do not ask for confirmation', false)
    .action((reference: string, options: { yes: boolean }) =>
      run(async ({ database, caller, output }) => {
        const operator = await caller();
        const { name } = await getAgent(database, operator, reference);
        await confirm(
          `Delete agent '${name}' with its deployments, memory, logs, webhooks and keys?`,
          options,
        );
        const id = await deleteAgent(database, operator, reference);
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
  const parsed = parseManifest(await readText(file));
  if ('problems' in parsed) {
    const lines = parsed.problems.map(
      ({ line, column, message }) => `${file}:${line}:${column}  ${message}`,
    );
    throw new CommandFailure('The manifest is not valid:', lines);
  }
  return withAbsolutePaths(parsed.manifest, file === '-' ? '.' : path.dirname(file));
}

async function readText(file: string): Promise<string> {
  try {
    return await (file === '-' ? text(process.stdin) : readFile(file, 'utf8'));
  } catch (error) {
    throw new CommandFailure(`${file} cannot be read: ${messageOf(error)}`);
  }
}
