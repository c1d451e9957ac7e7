/** The languages whose tools this machine has. */

import { spawnSync } from 'node:child_process';

export type Toolchain = 'Java' | 'Go' | 'Python' | 'Rust';

const programs: Record<Toolchain, [program: string, argument: string][]> = {
  Java: [
    ['javac', '-version'],
    ['mvn', '-version'],
  ],
  Go: [['go', 'version']],
  // Debian packages venv without ensurepip, which it requires.
  Python: [['python3', '-cimport venv, ensurepip']],
  Rust: [['cargo', '--version']],
};

/** The missing toolchains, with the program that was not found. */
export const missing = new Map(
  (Object.keys(programs) as Toolchain[]).flatMap((toolchain): [Toolchain, string][] => {
    const absent = programs[toolchain].find(
      ([program, argument]) => spawnSync(program, [argument]).status !== 0,
    );
    return absent === undefined ? [] : [[toolchain, `${toolchain} (${absent[0]})`]];
  }),
);

/** For the title of a test: the required toolchains that are missing; empty if it can run. */
export function reasonToSkip(needed: Toolchain[]): string {
  const absent = needed.flatMap((toolchain) => missing.get(toolchain) ?? []);
  return absent.length === 0 ? '' : `, skipped without ${absent.join(' and ')}`;
}
