/** The events of Anthropic Messages. */
import type { ServerResponse } from 'node:http';
import { signatureOf } from './check-messages.js';
import { anthropicError, type Rejection } from './rejection.js';
import {
  beginStream,
  contextOf,
  type Finish,
  known,
  named,
  piecesOf,
  type SpokenCall,
  type Usage,
  type Voice,
} from './voice.js';

const reasons: Record<Exclude<Finish, `raw:${string}`>, string> = {
  stop: 'end_turn',
  length: 'max_tokens',
  content_filter: 'refusal',
  refusal: 'refusal',
  tool_calls: 'tool_use',
  window: 'model_context_window_exceeded',
};

type Kind = 'text' | 'thinking';

export class MessagesVoice implements Voice {
  readonly #res: ServerResponse;
  #hasBegun = false;
  #index = 0;
  #open: { kind: Kind; said: string } | undefined;

  constructor(res: ServerResponse) {
    this.#res = res;
  }

  begin(): void {
    beginStream(this.#res);
    if (this.#hasBegun) return;
    this.#hasBegun = true;
    const { model, nextId, input, usage } = contextOf(this.#res);
    this.#send('message_start', {
      message: {
        id: `msg_${nextId()}`,
        type: 'message',
        role: 'assistant',
        model,
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: { ...inputOf(usage ?? { input, output: 1 }), output_tokens: 1 },
      },
    });
    this.#send('ping', {});
  }

  text(text: string): void {
    this.#say('text', text, { type: 'text_delta', text });
  }

  reasoning(thinking: string): void {
    this.#say('thinking', thinking, { type: 'thinking_delta', thinking });
  }

  /** A refusal is text, and the stop reason says that it is one. */
  refusal(text: string): void {
    this.text(text);
  }

  call(call: SpokenCall, { half } = { half: false }): void {
    this.begin();
    this.#close();
    const { id, name } = call;
    this.#start({ type: 'tool_use', id, name, input: {} });
    const [first, second] = piecesOf(call.arguments);
    for (const partial_json of half ? [first] : [first, second]) {
      this.#delta({ type: 'input_json_delta', partial_json });
    }
    if (!half) this.#stop();
  }

  finish(finish: Finish, usage: Usage | 'none'): void {
    this.begin();
    this.#close();
    const reason = finish.startsWith('raw:') ? finish.slice(4) : reasons[known(finish)];
    const delta = { stop_reason: reason, stop_sequence: null };
    const output_tokens = usage === 'none' ? 1 : usage.output;
    this.#send('message_delta', { delta, usage: { output_tokens } });
    this.#send('message_stop', {});
    this.#res.end();
  }

  fail(error: Rejection): void {
    beginStream(this.#res);
    this.#res.end(named('error', anthropicError(error)));
  }

  #say(kind: Kind, said: string, delta: object): void {
    this.begin();
    if (this.#open?.kind !== kind) {
      this.#close();
      this.#open = { kind, said: '' };
      this.#start(
        kind === 'text'
          ? { type: 'text', text: '' }
          : { type: 'thinking', thinking: '', signature: '' },
      );
    }
    this.#open.said += said;
    this.#delta(delta);
  }

  #close(): void {
    const open = this.#open;
    if (!open) return;
    this.#open = undefined;
    if (open.kind === 'thinking') {
      this.#delta({ type: 'signature_delta', signature: signatureOf(open.said) });
    }
    this.#stop();
  }

  #start(content_block: object): void {
    this.#send('content_block_start', { index: this.#index, content_block });
  }

  #delta(delta: object): void {
    this.#send('content_block_delta', { index: this.#index, delta });
  }

  #stop(): void {
    this.#send('content_block_stop', { index: this.#index });
    this.#index += 1;
  }

  #send(type: string, more: object): void {
    this.#res.write(named(type, { type, ...more }));
  }
}

/** Anthropic counts what it reads from its cache, or writes to it, apart. */
function inputOf({ input, cached, cacheWritten }: Usage): object {
  return {
    input_tokens: input - (cached ?? 0) - (cacheWritten ?? 0),
    ...(cached === undefined ? {} : { cache_read_input_tokens: cached }),
    ...(cacheWritten === undefined ? {} : { cache_creation_input_tokens: cacheWritten }),
  };
}
