/** A server on loopback with OpenAI's embeddings API. The test decides which texts are similar. */
import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as readText } from 'node:stream/consumers';

export interface EmbeddingServer {
  /** The value for `LOCAL_BASE_URL`. */
  url: string;
  /** The texts of each request. */
  requests: string[][];
  /** The Authorization headers. */
  authorizations: (string | undefined)[];
  /** How the next requests are answered; undefined means correctly. */
  misbehave: (how: Misbehaviour | undefined) => void;
  stop: () => Promise<void>;
}

/** A status to answer with, `hang` for no response, or a text that is rejected with a 400. */
export type Misbehaviour = number | 'hang' | { refuses: string };

const dimensions = 64;

/** Texts that share a topic are similar; all others are practically unrelated. */
export async function startEmbeddingServer(
  topics: Record<string, readonly string[]>,
): Promise<EmbeddingServer> {
  const requests: string[][] = [];
  const authorizations: (string | undefined)[] = [];
  let how: Misbehaviour | undefined;
  const topicOf = (text: string) =>
    Object.values(topics).findIndex((words) =>
      words.some((word) => text.toLowerCase().includes(word)),
    );

  const server = http.createServer((request, response) => {
    void (async () => {
      const { input, model } = JSON.parse(await readText(request)) as {
        input: string[];
        model: string;
      };
      requests.push(input);
      authorizations.push(request.headers.authorization);
      if (how === 'hang') return;
      if (typeof how === 'number') {
        answer(response, how, { error: { message: 'not now', type: 'server_error' } });
        return;
      }
      const refused = how?.refuses;
      if (refused !== undefined && input.some((text) => text.includes(refused))) {
        answer(response, 400, { error: { message: 'too strange', type: 'invalid_request_error' } });
        return;
      }
      answer(response, 200, {
        object: 'list',
        model,
        data: input.map((text, index) => ({
          object: 'embedding',
          index,
          embedding: vectorOf(text, topicOf(text)),
        })),
        usage: { prompt_tokens: 1, total_tokens: 1 },
      });
    })();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    requests,
    authorizations,
    misbehave: (next) => {
      how = next;
    },
    stop: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

function answer(response: http.ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

/** One direction per topic, plus a small component of the text itself, so that no two are equal. */
function vectorOf(text: string, topic: number): number[] {
  let seed = Array.from(text).reduce((hash, letter) => (hash * 31 + letter.charCodeAt(0)) | 0, 7);
  const noise = () => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) | 0;
    return seed / 2 ** 31;
  };
  const own = Array.from({ length: dimensions }, noise);
  if (topic < 0) return own;
  seed = topic + 1;
  const common = Array.from({ length: dimensions }, noise);
  return common.map((number, index) => 3 * number + (own[index] ?? 0));
}
