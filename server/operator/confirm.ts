/** Asks for confirmation before an action that cannot be undone. */
import { exitCodes } from '../../client/cli/exit-code-values.js';
import { ask } from '../lib/system/terminal.js';
import { CommandFailure } from './failure.js';

/** Throws unless the user confirms. Without a terminal, only `--yes` confirms. */
export async function confirm(question: string, { yes }: { yes: boolean }): Promise<void> {
  if (yes) return;
  const answer = await ask(`${question} [y/N]`);
  if (answer === undefined) {
    throw new CommandFailure(
      'This cannot be undone. Pass --yes to skip the confirmation.',
      [],
      exitCodes.usage,
    );
  }
  if (!/^y(es)?$/i.test(answer.trim())) throw new CommandFailure('Cancelled; nothing was changed.');
}
