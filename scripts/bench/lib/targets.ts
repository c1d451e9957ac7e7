/** The targets of all figures. */
import type { Target } from './report.js';

const major = Number.parseInt(process.versions.node, 10);

export const targets = {
  invoke: {
    /** The bare server gains more from newer versions of V8 than the service does. */
    throughput: { atLeast: major >= 24 ? 0.6 : 0.75 },
    extraMs: { atMost: 1.2 },
    nodeCpu: { atMost: 1.5 },
    postgresCpu: { atMost: 1.6 },
    session: { atLeast: 0.55 },
    key: { atLeast: 0.55 },
    traced: { atMost: 1.35 },
  },
  http: { getAgent: { atLeast: 0.8 }, listAgents: { atLeast: 0.8 } },
  deliveries: { perSecond: { atLeast: 1_000 } },
  history: { growth: { atMost: 1.6 } },
  start: {
    readyMs: { atMost: 2_000 },
    restMegabytes: { atMost: 140 },
    loadedMegabytes: { atMost: 250 },
  },
} satisfies Record<string, Record<string, Target>>;
