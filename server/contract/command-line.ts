/** The commands that messages suggest: they run the operator's command line in the way in which this process was started. */
import { existsSync } from 'node:fs';
import { hostname } from 'node:os';
import path from 'node:path';
import { projectRoot, builtModule } from './project-files.js';

/** How a process was started, as far as it can find out. */
export interface Start {
  environment: Record<string, string | undefined>;
  cwd: string;
  /** Whether the container runtime started it, and not a shell inside the container. */
  isOutermost: boolean;
  host: string;
  hasFile: (file: string) => boolean;
}

/** A command of the operator that can be copied into a shell: its arguments are quoted where necessary. */
export function commandLine(...args: string[]): string {
  return [operatorProgram(thisStart()), ...args.map(quoted)].join(' ');
}

/** The operator's command line without arguments. */
export function operatorProgram({ environment, cwd, isOutermost, host, hasFile }: Start): string {
  if (environment['npm_package_json'] === path.join(projectRoot, 'package.json')) {
    // npm changes to the project's folder, and remembers where it was called.
    const isElsewhere = (environment['INIT_CWD'] ?? projectRoot) !== projectRoot;
    return isElsewhere
      ? `npm run --prefix ${quoted(projectRoot)} operator --`
      : 'npm run operator --';
  }
  const program = builtModule('operator/main');
  const node = `node ${quoted(cwd === projectRoot ? path.relative(cwd, program) : program)}`;
  if (!isOutermost) return node;
  if (environment['KUBERNETES_SERVICE_HOST'] !== undefined) {
    return `kubectl exec -it ${quoted(host)} -- ${node}`;
  }
  // With another host name than this default, the container cannot tell what it is called.
  if (!/^[0-9a-f]{12}$/.test(host)) return node;
  if (hasFile('/run/.containerenv')) return `podman exec -it ${host} ${node}`;
  return hasFile('/.dockerenv') ? `docker exec -it ${host} ${node}` : node;
}

function thisStart(): Start {
  return {
    environment: process.env,
    cwd: process.cwd(),
    // An init process may be between them; `exec` into a container starts processes without a parent.
    isOutermost: process.pid === 1 || process.ppid <= 1,
    host: hostname(),
    hasFile: existsSync,
  };
}

function quoted(argument: string): string {
  return /^[\w@%+=:,./-]+$/.test(argument) ? argument : `'${argument.replaceAll("'", `'\\''`)}'`;
}
