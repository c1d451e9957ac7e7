/**
 * Exits with a message if Node is too old. Programs import this module first and everything else dynamically after it, because an
 * older Node would fail to load modules that use newer features. For the same reason this module imports nothing.
 */
export const oldestNode = '20.19';

export function isSupported(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [oldestMajor = 0, oldestMinor = 0] = oldestNode.split('.').map(Number);
  return major > oldestMajor || (major === oldestMajor && minor >= oldestMinor);
}

if (!isSupported(process.versions.node)) {
  process.stderr.write(
    `The Agent Hosting Service needs Node ${oldestNode} or later, but this is Node ${process.versions.node} (${process.execPath}). ` +
      'Install a current version from https://nodejs.org, or with a version manager: nvm install 22\n',
  );
  process.exit(1);
}
