/** Turns texts into vectors whose closeness is closeness in meaning, by the embedding model that is configured. */
import type { LocalSettings } from './providers/local.js';
import type { OpenAiSettings } from './providers/openai.js';

export interface EmbeddingModel {
  /** `provider/name`. Vectors of different models have nothing to do with each other. */
  name: string;
  /**
   * One vector of length 1 per text, in the same order; undefined for a text that the model refuses while it takes
   * others. Throws if it takes none.
   */
  embed: (texts: string[], signal: AbortSignal) => Promise<(number[] | undefined)[]>;
}

export interface EmbeddingSettings {
  openai: OpenAiSettings | undefined;
  local: LocalSettings | undefined;
}

type Embed = (texts: string[]) => Promise<number[][]>;

export function createEmbeddingModel(name: string, settings: EmbeddingSettings): EmbeddingModel {
  return {
    name,
    async embed(texts, abortSignal) {
      // Loaded at the first use: the SDK takes half a second.
      const [{ APICallError, embedMany }, model] = await Promise.all([
        import('ai'),
        open(name, settings),
      ]);
      const ask: Embed = async (values) => {
        // Whoever asks tries again later, or does without.
        const { embeddings } = await embedMany({ model, values, abortSignal, maxRetries: 0 });
        return embeddings.map(normalised);
      };
      const isRefusal = (error: unknown) =>
        APICallError.isInstance(error) && [400, 413, 422].includes(error.statusCode ?? 0);
      return embedAcceptable(ask, texts, isRefusal);
    },
  };
}

/** One bad text must not keep the others from being embedded, so a batch that is refused is halved. */
async function embedAcceptable(
  ask: Embed,
  texts: string[],
  isRefusal: (error: unknown) => boolean,
): Promise<(number[] | undefined)[]> {
  const attempt = async (part: string[]): Promise<(number[] | undefined)[]> => {
    try {
      return await ask(part);
    } catch (error) {
      if (!isRefusal(error) || texts.length === 1) throw error;
      if (part.length === 1) return [undefined];
      const middle = Math.ceil(part.length / 2);
      return [...(await attempt(part.slice(0, middle))), ...(await attempt(part.slice(middle)))];
    }
  };
  const vectors = await attempt(texts);
  // Then it is not the texts that are wrong.
  if (vectors.every((vector) => vector === undefined)) await ask(texts);
  return vectors;
}

async function open(model: string, { openai, local }: EmbeddingSettings) {
  const slash = model.indexOf('/');
  const name = model.slice(slash + 1);
  const provider = model.slice(0, slash);
  if (provider === 'openai' && openai) {
    const { openaiProvider } = await import('./providers/openai.js');
    return openaiProvider(openai).embeddingModel(name);
  }
  if (provider === 'local' && local) {
    const { localProvider } = await import('./providers/local.js');
    return localProvider(local).embeddingModel(name);
  }
  throw new Error(`The provider of the embedding model ${model} is not configured.`);
}

function normalised(vector: number[]): number[] {
  const length = Math.hypot(...vector);
  if (!(length > 0)) throw new Error('The embedding model answered with a vector of no length.');
  return vector.map((number) => number / length);
}
