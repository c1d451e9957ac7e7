/** Sums up a CPU profile of V8: which functions the time went to, and which packages and folders they belong to. */

/** As Node writes it with --cpu-prof. */
export interface CpuProfile {
  nodes: ProfileNode[];
  /** In microseconds on the monotonic clock, which all processes share. */
  startTime: number;
  /** The node of each sample. */
  samples: number[];
  /** Microseconds from the sample before. */
  timeDeltas: number[];
}

interface ProfileNode {
  id: number;
  callFrame: CallFrame;
  children?: number[];
}

/** Counts from 0. */
export interface CallFrame {
  functionName: string;
  url: string;
  lineNumber: number;
  columnNumber: number;
}

/** A function in the sources. */
export interface Place {
  name: string;
  /** From the project's root; `node:…` for Node itself, and empty for what V8 does. */
  file: string;
  line: number;
}

export interface TimeSpent {
  title: string;
  /** In microseconds: in itself, and with all that it calls. */
  self: number;
  total: number;
}

export interface ProfileSummary {
  /** In microseconds, without what was idle. */
  busy: number;
  functions: TimeSpent[];
  folders: TimeSpent[];
}

/** Between two times of the same clock. */
export interface Period {
  from: number;
  to: number;
}

export function summarise(
  profile: CpuProfile,
  placeOf: (frame: CallFrame) => Place,
  period: Period,
): ProfileSummary {
  const selfById = selfTimes(profile, period);
  const stacks = stacksOf(profile.nodes, placeOf);
  const functions = createSums();
  const folders = createSums();
  let busy = 0;
  for (const [id, self] of selfById) {
    const stack = stacks.get(id) ?? [];
    if (stack[0]?.name === '(idle)') continue;
    busy += self;
    functions.add(stack.map(titleOf), self);
    folders.add(stack.map(folderOf), self);
  }
  return { busy, functions: functions.sorted(), folders: folders.sorted() };
}

/** Of each node. A sample lasts until the next one. */
function selfTimes({ startTime, samples, timeDeltas }: CpuProfile, { from, to }: Period) {
  const times = new Map<number, number>();
  let at = startTime;
  samples.forEach((id, index) => {
    at += timeDeltas[index] ?? 0;
    const lasted = timeDeltas[index + 1] ?? 0;
    if (at >= from && at < to) times.set(id, (times.get(id) ?? 0) + lasted);
  });
  return times;
}

/** The functions that each node is in, the innermost first. */
function stacksOf(
  nodes: readonly ProfileNode[],
  placeOf: (frame: CallFrame) => Place,
): Map<number, Place[]> {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const stacks = new Map<number, Place[]>();
  const visit = ({ id, callFrame, children = [] }: ProfileNode, outer: Place[]) => {
    const stack = [placeOf(callFrame), ...outer];
    stacks.set(id, stack);
    for (const child of children) {
      const node = byId.get(child);
      if (node) visit(node, stack);
    }
  };
  const [root] = nodes;
  // The root is the whole program, of which nobody learns anything.
  for (const child of root?.children ?? []) {
    const node = byId.get(child);
    if (node) visit(node, []);
  }
  return stacks;
}

function createSums() {
  const sums = new Map<string, TimeSpent>();
  const sumOf = (title: string) => {
    const found = sums.get(title) ?? { title, self: 0, total: 0 };
    sums.set(title, found);
    return found;
  };
  return {
    /** The innermost comes first. What calls itself counts once. */
    add: (stack: readonly string[], self: number) => {
      const [innermost] = stack;
      if (innermost !== undefined) sumOf(innermost).self += self;
      for (const title of new Set(stack)) sumOf(title).total += self;
    },
    sorted: () => [...sums.values()].sort((one, other) => other.self - one.self),
  };
}

function titleOf({ name, file, line }: Place): string {
  return file === '' ? name || '(native)' : `${name || '(anonymous)'} ${shortened(file)}:${line}`;
}

/** Packages by their name, since a path to a dependency is long and says no more. */
function shortened(file: string): string {
  return file.replace(/^.*node_modules\//, '');
}

/** The package, the folder of the project, or the part of Node. */
export function folderOf({ name, file }: Place): string {
  if (file === '') return name.startsWith('(') ? name : '(native)';
  if (file.startsWith('node:')) return file.split('/').slice(0, 2).join('/');
  const [, inPackage] = /^.*node_modules\/(.+)$/.exec(file) ?? [];
  if (inPackage !== undefined) {
    return inPackage
      .split('/')
      .slice(0, inPackage.startsWith('@') ? 2 : 1)
      .join('/');
  }
  return file.split('/').slice(0, -1).slice(0, 2).join('/');
}
