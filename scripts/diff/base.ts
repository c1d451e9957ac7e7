/** Reads the contract of another revision from git. */

import { type Outcome, run } from '../lib/child.js';
import { Failure } from '../lib/failure.js';

const cannotCompare = 2;

/** The revision to compare with: the requested one, or the main branch. */
export async function resolveBase(requested: string | undefined): Promise<string> {
  const inside = await git('rev-parse', '--is-inside-work-tree');
  if (inside.code !== 0) {
    throw new Failure(
      'This is not a git repository, so there is no earlier contract; run it in a clone.',
      cannotCompare,
    );
  }
  for (const base of requested === undefined ? ['origin/main', 'main'] : [requested]) {
    const found = await git('rev-parse', '--verify', '--quiet', `${base}^{commit}`);
    if (found.code === 0) return base;
  }
  throw new Failure(
    requested === undefined
      ? 'There is neither origin/main nor main to compare with; name a revision with --base REF.'
      : `git does not know the revision ${requested}; fetch it, or name another with --base REF.`,
    cannotCompare,
  );
}

/** The bundled contract of the revision; undefined if it has none. */
export async function contractAt(base: string): Promise<string | undefined> {
  const { code, stdout } = await git('show', `${base}:./generated/openapi.yaml`);
  return code === 0 ? stdout : undefined;
}

async function git(...args: string[]): Promise<Outcome> {
  try {
    return await run('git', args);
  } catch {
    throw new Failure('git could not be started; install it to compare contracts.', cannotCompare);
  }
}
