/** The limits of an account: those of its tier, with the overrides that the operator has set for the account. */

export const tiers = {
  free: {
    perMinute: 60,
    burst: 100,
    webhooks: 10,
    asyncInvocations: 100,
    concurrentInvocations: 10,
  },
  pro: {
    perMinute: 1000,
    burst: 2000,
    webhooks: 100,
    asyncInvocations: 1000,
    concurrentInvocations: 50,
  },
  enterprise: {
    perMinute: 10_000,
    burst: 20_000,
    webhooks: 1000,
    asyncInvocations: 10_000,
    concurrentInvocations: 500,
  },
} as const;

export type Tier = keyof typeof tiers;

export const tierNames = Object.keys(tiers);

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
}

/** The limits that the operator can set for an account. */
export const capNames = ['webhooks', 'asyncInvocations', 'concurrentInvocations'] as const;

export type CapName = (typeof capNames)[number];

/** The limits that differ from the tier's. */
export type Caps = Partial<Record<CapName, number>>;

export function limitsOf(tier: Tier, caps: Caps): AccountLimits {
  return { ...tiers[tier], ...caps };
}
