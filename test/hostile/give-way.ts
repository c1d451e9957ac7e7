/** Makes this process a polite part of a test: the attacker of a real service has a machine of its own. */
import { spawnSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';

export function giveWay(): void {
  // It gets only the CPU time that the service and the other tenants leave. A low priority alone delays processes that
  // wake up, so it uses `chrt` where Linux has it. Linux may also share CPU time by session before priority, so its
  // session gets the lowest share.
  setPriority(19);
  spawnSync('chrt', ['--idle', '--all-tasks', '--pid', '0', String(process.pid)]);
  if (existsSync('/proc/self/autogroup')) writeFileSync('/proc/self/autogroup', '19');

  // In a new session it does not get the signal that interrupts the test, so it exits when its parent is gone.
  const { ppid } = process;
  setInterval(() => {
    if (process.ppid !== ppid) process.exit();
  }, 1_000);
}
