/** Computes embeddings with the configured model, as vectors for semantic search. */
import { APICallError, embedMany } from 'ai';
import { failureOfStatus, parseModelName } from './model.js';
import type { Providers } from './models.js';
import { embeddingFetch } from './providers/limited-fetch.js';
import { localProvider } from './providers/local.js';
import { openaiProvider } from './providers/openai.js';

export interface EmbeddingModel {
  /** `provider/name`. Vectors of different models are not comparable. */
  name: string;
  /**
   * Resolves to one unit vector per text, in the same order, with undefined for texts that the provider rejects. Throws
   * if it rejects all of them.
   */
  embed: (texts: string[], signal: AbortSignal) => Promise<(number[] | undefined)[]>;
}

type Embed = (texts: string[]) => Promise<number[][]>;

export function createEmbeddingModel(name: string, providers: Providers): EmbeddingModel {
  return {
    name,
    async embed(texts, abortSignal) {
      const model = openModel(name, providers);
      const embed: Embed = async (values) => {
        // Not retried here, since the caller tries again later or falls back to full-text search.
        const { embeddings } = await embedMany({ model, values, abortSignal, maxRetries: 0 });
        return embeddings.map(normalize);
      };
      const isRejected = (error: unknown) =>
        APICallError.isInstance(error) && [400, 413, 422].includes(error.statusCode ?? 0);
      return embedAccepted(embed, texts, isRejected).catch((error: unknown) => {
        // Without the provider's message, which may quote the texts and would be logged.
        throw APICallError.isInstance(error) && error.statusCode !== undefined
          ? failureOfStatus(error.statusCode, undefined)
          : error;
      });
    },
  };
}

/** Bisects a rejected batch, so that one bad text does not keep the others from being embedded. */
async function embedAccepted(
  embed: Embed,
  texts: string[],
  isRejected: (error: unknown) => boolean,
): Promise<(number[] | undefined)[]> {
  const embedPart = async (part: string[]): Promise<(number[] | undefined)[]> => {
    try {
      return await embed(part);
    } catch (error) {
      if (!isRejected(error) || texts.length === 1) throw error;
      if (part.length === 1) return [undefined];
      const middle = Math.ceil(part.length / 2);
      return [
        ...(await embedPart(part.slice(0, middle))),
        ...(await embedPart(part.slice(middle))),
      ];
    }
  };
  const vectors = await embedPart(texts);
  // If every text is rejected, the cause is not the texts: fail with the provider's error.
  if (vectors.every((vector) => vector === undefined)) await embed(texts);
  return vectors;
}

function openModel(model: string, { openai, local, servers }: Providers) {
  const { provider, name } = parseModelName(model);
  if (provider === 'openai' && openai) {
    return openaiProvider(openai, { fetch: embeddingFetch }).embeddingModel(name);
  }
  const server = provider === 'local' ? local : servers?.[provider];
  if (server) {
    return localProvider(server, { fetch: embeddingFetch }).embeddingModel(name);
  }
  throw new Error(`The provider of the embedding model ${model} is not configured.`);
}

function normalize(vector: number[]): number[] {
  const length = Math.hypot(...vector);
  if (!(length > 0)) throw new Error('The embedding model returned a vector of length zero.');
  return vector.map((number) => number / length);
}
