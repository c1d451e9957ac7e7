/** Reads the variables of the model providers and of the embedding model. */
import type { Reader } from './environment.js';
import { type CompatibleServers, readProvidersFile } from './providers-file.js';

export interface ModelConfig {
  /** Undefined, here and for the next two: the provider is not configured. */
  openai: HostedProvider | undefined;
  anthropic: HostedProvider | undefined;
  local: { baseUrl: string; apiKey: string | undefined } | undefined;
  /** More servers with an OpenAI-compatible API, by the name of the provider. */
  servers: CompatibleServers;
  /** `provider/name`. Undefined: memory has no semantic search, only full-text search. */
  embeddingModel: string | undefined;
}

interface HostedProvider {
  apiKey: string;
  /** Undefined: the provider's own URL. */
  baseUrl: string | undefined;
}

const schemes = ['http:', 'https:'];

export function modelConfig(read: Reader): ModelConfig {
  const openaiUrl = read.url('OPENAI_BASE_URL', schemes, 'https://api.openai.com/v1');
  const anthropicUrl = read.url('ANTHROPIC_BASE_URL', schemes, 'https://api.anthropic.com/v1');
  const localUrl = read.url('LOCAL_BASE_URL', schemes, 'http://127.0.0.1:11434/v1');
  const localKey = read.text('LOCAL_API_KEY');
  const file = read.text('PROVIDERS_FILE');
  const servers =
    file === undefined ? {} : readProvidersFile(file, read.environment, read.problems);
  return {
    openai: hosted(read.text('OPENAI_API_KEY'), openaiUrl),
    anthropic: hosted(read.text('ANTHROPIC_API_KEY'), anthropicUrl),
    local: localUrl === undefined ? undefined : { baseUrl: localUrl, apiKey: localKey },
    servers,
    embeddingModel: embeddingModel(read, Object.keys(servers)),
  };
}

function hosted(
  apiKey: string | undefined,
  baseUrl: string | undefined,
): HostedProvider | undefined {
  return apiKey === undefined ? undefined : { apiKey, baseUrl };
}

function embeddingModel(read: Reader, servers: readonly string[]): string | undefined {
  const model = read.text('EMBEDDING_MODEL');
  if (model === undefined) return undefined;
  const [, provider = ''] = /^([^/\s]+)\/\S+$/.exec(model) ?? [];
  if (servers.includes(provider)) return model;
  if (provider !== 'openai' && provider !== 'local') {
    read.problems.push(
      `EMBEDDING_MODEL must be openai/…, local/… or of a provider in PROVIDERS_FILE, such as openai/text-embedding-3-small, not '${model}'.`,
    );
    return model;
  }
  const required = provider === 'openai' ? 'OPENAI_API_KEY' : 'LOCAL_BASE_URL';
  if (read.text(required) === undefined) {
    read.problems.push(`${required} is required with EMBEDDING_MODEL=${model}.`);
  }
  return model;
}
