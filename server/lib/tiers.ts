/** The rate limits of an account, by tier. */
export const tiers = {
  free: { perMinute: 60, burst: 100 },
  pro: { perMinute: 1000, burst: 2000 },
  enterprise: { perMinute: 10_000, burst: 20_000 },
} as const;

export type Tier = keyof typeof tiers;

export const tierNames = Object.keys(tiers);
