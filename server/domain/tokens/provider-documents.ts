/** What is read of the documents of an OAuth 2.0 provider. */
import { z } from 'zod';

export const discoveryDocument = z.object({ issuer: z.string(), jwks_uri: z.url() });

export const keySet = z.object({
  keys: z
    .array(z.looseObject({ kty: z.string() }))
    .min(1)
    .max(100),
});
