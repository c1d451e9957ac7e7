/** `operator agents apply`, `diff` and `get`: manages agents with manifests. */
import type { Command } from 'commander';
import { exitCodes } from '../../client/cli/exit-code-values.js';
import { getAgent } from '../agents/agents.js';
import { type ResolvedManifest, settingsOf } from '../agents/manifests/conversion.js';
import {
  applyManifests,
  compareManifest,
  findMissingAgents,
  type ManifestDifference,
  type ManifestResult,
} from '../agents/manifests/manifests.js';
import { maskSecrets } from '../agents/masking.js';
import { findDraft } from '../agents/drafts.js';
import { findSchedules } from '../agents/schedules.js';
import type { OperatorContext, Run } from './context.js';
import { CommandExit, CommandFailure } from './failure.js';
import { loadManifests, manifestLines } from './manifest-file.js';
import { added, removed } from './output.js';
import { assertUsablePolicy, policyNotes } from './policy.js';
import {
  allowPrivateTargets,
  checkModels,
  checkVariables,
  readRunningServices,
} from './running-services.js';
import { resolveTools } from './tools.js';

const fileOption = [
  '-f, --file <file>',
  'manifests in YAML, one or several documents, or in JSON; - for standard input',
] as const;

export function addManifestCommands(agents: Command, run: Run): void {
  agents
    .command('apply')
    .description('create or update agents from manifests: all in the file, or none')
    .requiredOption(...fileOption)
    .action(({ file }: { file: string }) =>
      run(async (context) => {
        const prepared = await prepareManifests(context, file, context.account);
        const { accountId, manifests } = prepared;
        const results = await applyManifests(
          context.database,
          accountId,
          manifests.map(({ manifest }) => manifest),
        );
        await report(context, prepared, results);
      }),
    );

  agents
    .command('diff')
    .description('show what apply would change. Exit codes: 0 no changes, 1 changes, 2 error')
    .requiredOption(...fileOption)
    .action(({ file }: { file: string }) =>
      run(async (context) => {
        const { manifests, notes, accountId } = await prepareManifests(
          context,
          file,
          context.accountToRead,
        );
        const compared = await Promise.all(
          manifests.map(async ({ manifest, warnings }) => ({
            ...(await compareManifest(context.database, accountId, manifest)),
            warnings,
          })),
        );
        const differences = compared.filter(({ changes }) => changes.length > 0);
        context.output.done(
          differences.flatMap(differenceLines),
          compared
            .filter(({ changes, warnings }) => changes.length + warnings.length > 0)
            .map(presentDifference),
          [
            ...compared.flatMap(({ warnings }) => warnings.map(warningLine)),
            ...notes.map(noteLine),
          ],
        );
        if (differences.length > 0) throw new CommandExit(1);
      }).catch((error: unknown) => {
        throw error instanceof CommandExit ? error : new CommandExit(2, error);
      }),
    );

  agents
    .command('get')
    .description('print an agent as a manifest for apply')
    .argument('<agent>', 'its id or name')
    .action((reference: string) =>
      run(async ({ database, reader, output }) => {
        const operator = await reader();
        const { id, name, status, createdAt } = await getAgent(database, operator, reference);
        const draft = await findDraft(database, operator.accountId, name);
        if (!draft)
          throw new CommandFailure(`Agent '${name}' was deleted.`, [], exitCodes.notFound);
        const schedules = await findSchedules(database, {
          accountId: operator.accountId,
          agentId: id,
        });
        const settings = { ...settingsOf(draft), ...(schedules.length > 0 ? { schedules } : {}) };
        const manifest = { name, ...maskSecrets(settings) };
        output.done(manifestLines(manifest), manifest, [
          `${id} is ${status}, created ${createdAt.toISOString()}.`,
        ]);
      }),
    );
}

interface PreparedManifests {
  manifests: PreparedManifest[];
  /** Checks that could not be made. */
  notes: string[];
  accountId: string;
}

interface PreparedManifest {
  manifest: ResolvedManifest;
  /** What the agent's models may refuse, and what is missing. */
  warnings: string[];
}

/** Throws if a manifest cannot be applied. */
async function prepareManifests(
  context: OperatorContext,
  file: string,
  account: OperatorContext['account'],
): Promise<PreparedManifests> {
  const loaded = await loadManifests(file);
  const manifests = loaded.map(({ manifest }) => manifest);
  const services = await readRunningServices(context.database);
  const notes = [
    ...checkModels(services, manifests, Object.keys(context.config.models.servers)),
    ...checkVariables(services, manifests),
  ];
  const allowPrivate = allowPrivateTargets(services, context.config.allowPrivateTargets);
  for (const manifest of manifests) await assertUsablePolicy(manifest, { allowPrivate });
  const { id: accountId } = await account();
  const missing = await findMissingAgents(context.database, accountId, manifests);
  const resolved = await Promise.all(
    loaded.map(async ({ manifest, warnings }) => {
      const tools = await resolveTools(manifest, { allowPrivate });
      return {
        manifest: tools.manifest,
        warnings: [...warnings, ...tools.warnings, ...warningsAboutAgents(manifest, missing)],
      };
    }),
  );
  return { manifests: resolved, notes, accountId };
}

/** They may be applied later; until then, asking them fails. */
function warningsAboutAgents(
  { name, tools }: ResolvedManifest,
  missing: ReadonlySet<string>,
): string[] {
  return (tools?.agents ?? [])
    .filter((agent) => missing.has(agent.name))
    .map((agent) => `'${name}' may ask the agent '${agent.name}', which does not exist`);
}

async function report(
  { config, database, output }: OperatorContext,
  { manifests, notes: modelNotes, accountId }: PreparedManifests,
  results: ManifestResult[],
): Promise<void> {
  const documents = await Promise.all(
    results.map(async ({ name, id, outcome, changed }, index) => {
      const { manifest, warnings = [] } = manifests[index] ?? {};
      const agent = { accountId, agentId: id };
      const own = manifest ? await policyNotes(database, manifest, agent, config) : [];
      const notes = [...own, ...(index === 0 ? modelNotes : [])];
      return {
        name,
        id,
        outcome,
        changed,
        ...(warnings.length > 0 ? { warnings } : {}),
        ...(notes.length > 0 ? { notes } : {}),
      };
    }),
  );
  const [first] = documents;
  output.done(
    documents.map(({ name, outcome, changed }) => {
      const details = changed.length > 0 ? ` (${changed.join(', ')})` : '';
      return `Agent '${name}' ${outcome}${details}.`;
    }),
    documents.length === 1 && first ? first : documents,
    documents.flatMap(({ warnings = [], notes = [] }) => [
      ...warnings.map(warningLine),
      ...notes.map(noteLine),
    ]),
  );
}

function warningLine(warning: string): string {
  return `warning: ${warning}`;
}

function noteLine(note: string): string {
  return `Note: ${note}`;
}

function differenceLines({ name, exists, changes }: ManifestDifference) {
  const settings = (side: 'from' | 'to') =>
    changes.flatMap(({ setting, [side]: value }) =>
      value === undefined ? [] : manifestLines(withMaskedSecrets(setting, value)),
    );
  return [
    exists ? `${name}:` : `${name} (new):`,
    ...settings('from').map((line) => removed(`  - ${line}`)),
    ...settings('to').map((line) => added(`  + ${line}`)),
  ];
}

/** Tool definitions are public and stay readable: a parameter in them may be named like a secret. */
function withMaskedSecrets(setting: string, value: unknown): Record<string, unknown> {
  return setting === 'toolDefinitions' ? { [setting]: value } : maskSecrets({ [setting]: value });
}

function presentDifference({
  name,
  exists,
  changes,
  warnings,
}: ManifestDifference & Pick<PreparedManifest, 'warnings'>) {
  return {
    name,
    exists,
    changes: changes.map(({ setting, from, to }) => {
      const masked = (value: unknown) => withMaskedSecrets(setting, value)[setting] ?? null;
      return { setting, from: masked(from), to: masked(to) };
    }),
    ...(warnings.length > 0 ? { warnings } : {}),
  };
}
