/** Chat completions, as streamed by OpenAI, vLLM, llama.cpp and others. */
import type { ServerResponse } from 'node:http';
import { openaiError, type Rejection } from './rejection.js';
import {
  beginStream,
  contextOf,
  data,
  type Finish,
  known,
  named,
  piecesOf,
  type SpokenCall,
  type Usage,
  type Voice,
} from './voice.js';

const reasons: Record<Exclude<Finish, `raw:${string}`>, string> = {
  stop: 'stop',
  length: 'length',
  content_filter: 'content_filter',
  // A refusal has its own field, and ends like any answer.
  refusal: 'stop',
  tool_calls: 'tool_calls',
  window: 'length',
};

export function usageOfChat({ input, output, cached, reasoning }: Usage): object {
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    ...(cached === undefined ? {} : { prompt_tokens_details: { cached_tokens: cached } }),
    ...(reasoning === undefined
      ? {}
      : { completion_tokens_details: { reasoning_tokens: reasoning } }),
  };
}

export interface ChatOptions {
  /** Whether each chunk has the usage so far, as vLLM sends it on request. */
  countsChunks?: boolean;
  /** LM Studio names its error events. */
  namesErrors?: boolean;
}

export class ChatVoice implements Voice {
  readonly #res: ServerResponse;
  readonly #options: ChatOptions;
  #hasBegun = false;
  #chunks = 0;
  #calls = 0;

  constructor(res: ServerResponse, options: ChatOptions = {}) {
    this.#res = res;
    this.#options = options;
  }

  begin(): void {
    beginStream(this.#res);
    if (this.#hasBegun) return;
    this.#hasBegun = true;
    if (!this.#options.countsChunks) this.#delta({ role: 'assistant', content: '' });
  }

  text(content: string): void {
    this.begin();
    this.#chunks += 1;
    this.#delta({ content });
  }

  reasoning(piece: string): void {
    this.begin();
    this.#delta({ reasoning_content: piece });
  }

  refusal(piece: string): void {
    this.begin();
    this.#delta({ refusal: piece });
  }

  call(call: SpokenCall, { half } = { half: false }): void {
    this.begin();
    const index = this.#calls;
    this.#calls += 1;
    const [first, second] = piecesOf(call.arguments);
    const opening = { name: call.name, arguments: '' };
    this.#delta({ tool_calls: [{ index, id: call.id, type: 'function', function: opening }] });
    this.#delta({ tool_calls: [{ index, function: { arguments: first } }] });
    if (!half) this.#delta({ tool_calls: [{ index, function: { arguments: second } }] });
  }

  finish(finish: Finish, usage: Usage | 'none'): void {
    this.begin();
    const reason = finish.startsWith('raw:') ? finish.slice(4) : reasons[known(finish)];
    this.#write([{ index: 0, delta: {}, finish_reason: reason }]);
    if (usage !== 'none' && contextOf(this.#res).reportsUsage) {
      this.#write([], { usage: usageOfChat(usage) });
    }
    this.#res.end('data: [DONE]\n\n');
  }

  fail(error: Rejection): void {
    beginStream(this.#res);
    const body = { error: openaiError(error) };
    this.#res.end(this.#options.namesErrors ? named('error', body) : data(body));
  }

  #delta(delta: object): void {
    const output = this.#chunks;
    const { input } = contextOf(this.#res);
    const usage = usageOfChat({ input, output });
    this.#write(
      [{ index: 0, delta, finish_reason: null }],
      this.#options.countsChunks ? { usage } : {},
    );
  }

  #write(choices: object[], more: object = {}): void {
    const { model } = contextOf(this.#res);
    this.#res.write(
      data({ id: 'c1', object: 'chat.completion.chunk', created: 1, model, choices, ...more }),
    );
  }
}
