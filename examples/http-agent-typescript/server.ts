/** An agent of your own for the Agent Hosting Service: it is told a message, and answers as JSON or word by word. */
import { timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';

/** What the service sends. */
interface AgentRequest {
  message: string;
  /** What the caller sent as context; `user_id` and `session_id` among it. */
  context: Record<string, unknown>;
  /** Earlier messages of the session, oldest first. */
  history: { role: 'user' | 'agent'; content: string }[];
  agent: { id: string; name: string };
  request_id: string;
}

const authorization = `Bearer ${process.env['ORDER_BOT_TOKEN'] ?? ''}`;
const maxBytes = 8 * 1024 * 1024;

const server = createServer((request, response) => {
  respond(request, response).catch((error: unknown) => {
    // Before the answer has begun its status tells; the service tries again after a 5xx.
    if (response.headersSent) response.destroy();
    else response.writeHead(500).end();
    process.stderr.write(`${String(error)}\n`);
  });
});

async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (!isAuthorized(request.headers.authorization)) {
    response.writeHead(401).end();
    return;
  }
  const asked = JSON.parse(await readText(request)) as AgentRequest;
  if (request.headers.accept?.includes('text/event-stream')) await stream(response, asked);
  else sendJson(response, asked);
}

/** Your agent goes here. */
function answerTo({ message, history }: AgentRequest): string {
  const order = [message, ...history.map(({ content }) => content).reverse()]
    .map((text) => /\b\d{4,}\b/.exec(text)?.[0])
    .find((number) => number !== undefined);
  return order === undefined
    ? 'Which order do you mean? Please tell me its number.'
    : `Order ${order} left our warehouse this morning.`;
}

function sendJson(response: ServerResponse, asked: AgentRequest): void {
  const text = answerTo(asked);
  response.writeHead(200, { 'Content-Type': 'application/json' });
  response.end(JSON.stringify({ response: text, tokens_used: countTokens(asked.message, text) }));
}

async function stream(response: ServerResponse, asked: AgentRequest): Promise<void> {
  // The service closes the connection when its caller disconnects or the time is over.
  const isGone = new AbortController();
  response.once('close', () => {
    isGone.abort();
  });
  const send = (event: string, data: unknown) =>
    response.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
  const text = answerTo(asked);
  response.writeHead(200, { 'Content-Type': 'text/event-stream' });
  for (const word of text.match(/\S+\s*/g) ?? []) {
    if (isGone.signal.aborted) return;
    send('delta', { text: word });
    await delay(20);
  }
  send('done', { tokens_used: countTokens(asked.message, text) });
  response.end();
}

/** A model would tell; four characters are about one token. */
function countTokens(...texts: string[]): number {
  return Math.ceil(texts.join('').length / 4);
}

function isAuthorized(header = ''): boolean {
  const [given, expected] = [Buffer.from(header), Buffer.from(authorization)];
  return given.length === expected.length && timingSafeEqual(given, expected);
}

async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > maxBytes) throw new Error('The request is too large.');
  }
  return Buffer.concat(chunks).toString('utf8');
}

if (!process.env['ORDER_BOT_TOKEN']) {
  process.stderr.write('Set ORDER_BOT_TOKEN to the token that callers must have.\n');
  process.exit(1);
}
server.listen(Number(process.env['PORT'] ?? 8700), '127.0.0.1', () => {
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : address;
  process.stdout.write(`The agent listens at http://127.0.0.1:${port}/\n`);
});
