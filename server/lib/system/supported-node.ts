/**
 * Ends the process, in words, if its Node is too old. Programs import this first and everything else dynamically after it: an
 * older Node fails to load modules that import what it does not have, before a line of theirs runs. So this one imports nothing.
 */
export const oldestNode = '20.19';

export function isSupported(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [oldestMajor = 0, oldestMinor = 0] = oldestNode.split('.').map(Number);
  return major > oldestMajor || (major === oldestMajor && minor >= oldestMinor);
}

if (!isSupported(process.versions.node)) {
  process.stderr.write(
    `The Agent Hosting Service needs Node ${oldestNode} or later, and this is Node ${process.versions.node} (${process.execPath}). ` +
      'Install a current one from https://nodejs.org, or with a version manager: nvm install 22\n',
  );
  process.exit(1);
}
