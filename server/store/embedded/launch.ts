/** Starts a PostgreSQL program on a cluster's directory, with none of the service's privileges and secrets. */
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { dropPrivileges, type RunAs } from './run-as.js';

export interface Program {
  file: string;
  /** The directory that contains the cluster's `data`. */
  directory: string;
  /** Called with the path under which the program finds that directory. */
  args: (directory: string) => string[];
  /** Receives both output streams. */
  output: number | 'pipe';
  runAs: RunAs | undefined;
}

const DIRECTORY_FD = 3;

export function launch({ file, directory, args, output, runAs }: Program): ChildProcess {
  const options = {
    cwd: '/',
    // The service's environment contains secrets that PostgreSQL does not need.
    env: {},
    // In its own process group: Ctrl-C signals only the service, which then stops PostgreSQL last.
    detached: true,
  };
  if (runAs === undefined) {
    return spawn(file, args(directory), { ...options, stdio: ['ignore', output, output] });
  }
  // The user may not be able to enter a directory above this one, such as /root. It needs no right to do so if it is
  // given this one open: the path through /proc begins there.
  const fd = openSync(directory, 'r');
  try {
    const stdio = ['ignore' as const, output, output, fd];
    const given = args(`/proc/self/fd/${DIRECTORY_FD}`);
    const { user, setpriv } = runAs;
    return setpriv === undefined
      ? spawn(file, given, { ...options, ...user, stdio })
      : spawn(setpriv, [...dropPrivileges(user), file, ...given], { ...options, stdio });
  } finally {
    closeSync(fd);
  }
}
