/** Starts a PostgreSQL program on a cluster's directory, without the service's privileges and secrets. */
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { dropPrivileges, type RunAs } from './run-as.js';

export interface Program {
  file: string;
  /** The directory that contains the cluster's `data`. */
  directory: string;
  /** Called with the path at which the program finds that directory. */
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
  // The user may not be allowed to enter a parent directory, such as /root. The program therefore inherits an open descriptor of
  // the directory, and reaches it through /proc.
  const fd = openSync(directory, 'r');
  try {
    const stdio = ['ignore' as const, output, output, fd];
    const programArgs = args(`/proc/self/fd/${DIRECTORY_FD}`);
    const { user, setpriv } = runAs;
    return setpriv === undefined
      ? spawn(file, programArgs, { ...options, ...user, stdio })
      : spawn(setpriv, [...dropPrivileges(user), file, ...programArgs], { ...options, stdio });
  } finally {
    closeSync(fd);
  }
}
