/** The limits of an account: those of its tier, with the overrides that the operator has set for the account. */

export const tiers = {
  free: {
    perMinute: 60,
    burst: 100,
    webhooks: 10,
    asyncInvocations: 100,
    concurrentInvocations: 10,
    bytesPerDay: 1_000_000_000,
    keys: 100,
    deploymentsPerDay: 100,
  },
  pro: {
    perMinute: 1000,
    burst: 2000,
    webhooks: 100,
    asyncInvocations: 1000,
    concurrentInvocations: 50,
    bytesPerDay: 20_000_000_000,
    keys: 1000,
    deploymentsPerDay: 1000,
  },
  enterprise: {
    perMinute: 10_000,
    burst: 20_000,
    webhooks: 1000,
    asyncInvocations: 10_000,
    concurrentInvocations: 500,
    bytesPerDay: 500_000_000_000,
    keys: 10_000,
    deploymentsPerDay: 10_000,
  },
} as const;

export type Tier = keyof typeof tiers;

export const tierNames = Object.keys(tiers);

/** Infinity means unlimited. */
export interface AccountLimits {
  /** Requests per minute. */
  perMinute: number;
  /** Requests at once. */
  burst: number;
  webhooks: number;
  /** Asynchronous invocations that wait or run. */
  asyncInvocations: number;
  /** Synchronous invocations that run concurrently on one instance. */
  concurrentInvocations: number;
  /** Bytes that are stored in a day. */
  bytesPerDay: number;
  /** Keys that are neither revoked nor expired. */
  keys: number;
  deploymentsPerDay: number;
}

export type CapName = keyof AccountLimits;

/** The limits that the operator can set for an account: all of them. */
export const capNames = Object.keys(tiers.free) as CapName[];

/** The limits that differ from the tier's. Null means unlimited, because JSON has no Infinity. */
export type Caps = Partial<Record<CapName, number | null>>;

export function limitsOf(tier: Tier, caps: Caps): AccountLimits {
  const changed = Object.entries(caps).map(([name, cap]) => [name, cap ?? Infinity] as const);
  return { ...tiers[tier], ...Object.fromEntries(changed) };
}
