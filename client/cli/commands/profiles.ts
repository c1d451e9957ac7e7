/** `agent-hosting logout` and `profiles`: deletes, lists and selects profiles. */
import type { Command } from 'commander';
import { noteOverride } from '../connection.js';
import type { Context, Runner } from '../context.js';
import { findProfile, readProfiles, unknownProfileError, writeProfiles } from '../profiles.js';

export function defineLogout(command: Command, run: Runner): void {
  command
    .addHelpText('after', '\nExample:\n  agent-hosting logout --profile staging')
    .action(run(logout));
}

export function addProfileCommands(profiles: Command, run: Runner): void {
  profiles
    .command('list')
    .description('list the profiles, without their keys')
    .addHelpText('after', '\nExample:\n  agent-hosting profiles list')
    .action(run(listProfiles));
  profiles
    .command('use')
    .description('make a profile the current one')
    .argument('<name>', 'the name of the profile')
    .addHelpText('after', '\nExample:\n  agent-hosting profiles use staging')
    .action(run(useProfile));
}

async function logout({ output, globalOptions }: Context): Promise<void> {
  const saved = await readProfiles();
  const name = globalOptions.profile ?? saved.current;
  if (!findProfile(saved, name)) throw unknownProfileError(saved, name);
  const rest = Object.fromEntries(
    Object.entries(saved.profiles).filter(([other]) => other !== name),
  );
  const current = name === saved.current ? (Object.keys(rest)[0] ?? 'default') : saved.current;
  await writeProfiles({ current, profiles: rest });
  const text = `Deleted the profile '${name}'. Its key still works; revoke it with keys revoke.`;
  output.result(text, { profile: name, forgotten: true });
  if (name !== current && current in rest) output.note(`'${current}' is the current profile now.`);
}

async function listProfiles({ output }: Context): Promise<void> {
  const { current, profiles } = await readProfiles();
  const rows = Object.entries(profiles).map(([name, { baseUrl }]) => ({
    name,
    base_url: baseUrl,
    current: name === current,
  }));
  output.list(rows, [
    { title: 'name', value: ({ name }) => name, neverTruncate: true },
    { title: 'service', value: ({ base_url }) => base_url },
    { title: 'current', value: (row) => (row.current ? 'yes' : ''), style: () => 'green' },
  ]);
  noteOverride(output);
}

async function useProfile({ output }: Context, _options: object, name = ''): Promise<void> {
  const saved = await readProfiles();
  const profile = findProfile(saved, name);
  if (!profile) throw unknownProfileError(saved, name);
  await writeProfiles({ ...saved, current: name });
  const { baseUrl } = profile;
  output.result(`Using '${name}' (${baseUrl}).`, { profile: name, base_url: baseUrl });
  noteOverride(output);
}
