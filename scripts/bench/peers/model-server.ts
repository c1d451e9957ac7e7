/** A model behind the API of OpenAI that answers at once with the last message, whole or as a stream. */
import { createServer, type ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { announceWhenReady } from '../lib/ready.js';

interface ChatRequest {
  messages: { content: string | { text?: string }[] }[];
  stream?: boolean;
}

const common = { id: 'chat', created: 0, model: 'echo' };
const usage = { prompt_tokens: 5, completion_tokens: 5, total_tokens: 10 };

const server = createServer((req, res) => {
  void json(req).then((body) => {
    const { messages, stream = false } = body as ChatRequest;
    const content = textOf(messages.at(-1)?.content ?? '');
    if (stream) sendStream(res, content);
    else sendWhole(res, content);
  });
});

function textOf(content: ChatRequest['messages'][number]['content']): string {
  if (typeof content === 'string') return content;
  return content.map(({ text = '' }) => text).join('');
}

function sendWhole(res: ServerResponse, content: string): void {
  const message = { role: 'assistant', content };
  const choices = [{ index: 0, message, finish_reason: 'stop' }];
  res.setHeader('content-type', 'application/json');
  res.end(JSON.stringify({ ...common, object: 'chat.completion', choices, usage }));
}

function sendStream(res: ServerResponse, content: string): void {
  const delta = { role: 'assistant', content };
  const chunks = [
    { choices: [{ index: 0, delta, finish_reason: null }] },
    { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], usage },
  ].map((chunk) => JSON.stringify({ ...common, object: 'chat.completion.chunk', ...chunk }));
  res.setHeader('content-type', 'text/event-stream');
  res.end([...chunks, '[DONE]'].map((data) => `data: ${data}\n\n`).join(''));
}

announceWhenReady(server.listen(0, '127.0.0.1'));
