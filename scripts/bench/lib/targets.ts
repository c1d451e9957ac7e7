/** What the figures must reach, in one place. Ratios are to the server or the case that a table names as their base. */

export type Goal = { atLeast: number } | { atMost: number };

export const targets = {
  invoke: {
    free: { atLeast: 0.75 },
    busy: { atLeast: 0.6 },
    nodeCpu: { atMost: 1.8 },
    databaseCpu: { atMost: 2 },
    /** Beside Invoke without it. */
    session: { atLeast: 0.7 },
    idempotencyKey: { atLeast: 0.7 },
  },
  getAgent: { atLeast: 0.8 },
  listAgents: { atLeast: 0.8 },
  refused: { atLeast: 1 },
  /** Of a read of 10^6 rows beside one of 10^4. */
  history: { ratio: { atMost: 1.3 }, medianMs: { atMost: 10 } },
  streams: { latenessMs: { atMost: 100 } },
  start: {
    readyMs: { atMost: 1_200 },
    residentMegabytes: { atMost: 120 },
    idlePercent: { atMost: 0.5 },
    helpMs: { atMost: 150 },
  },
  /** Get Agent with every security setting beside one without. */
  policy: { atLeast: 0.8 },
  /** Node's processor time with metrics or traces beside neither. */
  observability: { atMost: 1.05 },
  deliveries: {
    perSecond: { atLeast: 300 },
    p50: { atMost: 30 },
    p99: { atMost: 250 },
    /** p99 with hanging receivers beside without. */
    slowdown: { atMost: 2 },
  },
  /** A call through the SDK beside plain fetch; openapi-fetch creates a Request of its own for each. */
  sdk: { atMost: 1.3 },
  toolOverheadMs: { atMost: 2 },
} as const;

export function isReached(value: number, goal: Goal): boolean {
  return 'atLeast' in goal ? value >= goal.atLeast : value <= goal.atMost;
}

export function goalText(goal: Goal): string {
  return 'atLeast' in goal ? `≥ ${goal.atLeast}` : `≤ ${goal.atMost}`;
}
