/** The fields that are read from an OAuth 2.0 provider's documents. */
import { z } from 'zod';

export const discoveryDocument = z.object({ issuer: z.string(), jwks_uri: z.url() });

export const keySet = z.object({
  keys: z
    .array(z.looseObject({ kty: z.string() }))
    .min(1)
    .max(100),
});
