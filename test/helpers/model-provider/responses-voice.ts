/** The events of OpenAI Responses. */
import type { ServerResponse } from 'node:http';
import type { Json } from './json.js';
import { openaiError, type Rejection } from './rejection.js';
import {
  beginStream,
  contextOf,
  type Finish,
  named,
  piecesOf,
  type SpokenCall,
  type Usage,
  type Voice,
} from './voice.js';

interface OpenItem {
  kind: 'text' | 'refusal' | 'reasoning';
  id: string;
  said: string;
}

export class ResponsesVoice implements Voice {
  readonly #res: ServerResponse;
  #hasBegun = false;
  #events = 0;
  #items = 0;
  #open: OpenItem | undefined;
  #lastReasoning: string | undefined;

  constructor(res: ServerResponse) {
    this.#res = res;
  }

  begin(): void {
    beginStream(this.#res);
    if (this.#hasBegun) return;
    this.#hasBegun = true;
    const response = this.#response('in_progress');
    this.#send('response.created', { response });
    this.#send('response.in_progress', { response });
  }

  text(delta: string): void {
    this.#say('text', delta);
  }

  refusal(delta: string): void {
    this.#say('refusal', delta);
  }

  reasoning(delta: string): void {
    this.#say('reasoning', delta);
  }

  call(call: SpokenCall, { half } = { half: false }): void {
    this.begin();
    this.#close('completed');
    const id = this.#newId('fc');
    const item = { type: 'function_call', id, call_id: call.id, name: call.name };
    const place = { item_id: id, output_index: this.#items };
    const [first, second] = piecesOf(call.arguments);
    const added = { ...item, arguments: '', status: 'in_progress' };
    this.#send('response.output_item.added', { output_index: this.#items, item: added });
    this.#send('response.function_call_arguments.delta', { ...place, delta: first });
    if (half) return;
    const done = { ...item, arguments: call.arguments, status: 'completed' };
    this.#send('response.function_call_arguments.delta', { ...place, delta: second });
    this.#send('response.function_call_arguments.done', { ...place, arguments: call.arguments });
    this.#send('response.output_item.done', { output_index: this.#items, item: done });
    this.#items += 1;
  }

  finish(finish: Finish, usage: Usage | 'none'): void {
    this.begin();
    const reason = incomplete(finish);
    this.#close(reason === undefined ? 'completed' : 'incomplete');
    const status = reason === undefined ? 'completed' : 'incomplete';
    const response = {
      ...this.#response(status),
      incomplete_details: reason === undefined ? null : { reason },
      ...(usage === 'none' ? {} : { usage: usageOfResponse(usage) }),
    };
    this.#send(`response.${status}`, { response });
    this.#res.end();
  }

  fail(error: Rejection): void {
    this.begin();
    const { code, message, param } = error;
    this.#send('error', { code, message, param, error: openaiError(error) });
    const response = { ...this.#response('failed'), error: { code, message } };
    this.#send('response.failed', { response });
    this.#res.end();
  }

  #say(kind: OpenItem['kind'], delta: string): void {
    this.begin();
    if (this.#open?.kind !== kind) this.#start(kind);
    const open = this.#open;
    if (!open) return;
    open.said += delta;
    const place = this.#place(open);
    if (kind === 'text') this.#send('response.output_text.delta', { ...place, delta });
    else if (kind === 'refusal') this.#send('response.refusal.delta', { ...place, delta });
    else this.#send('response.reasoning_summary_text.delta', { ...place, delta });
  }

  #start(kind: OpenItem['kind']): void {
    this.#close('completed');
    const open = { kind, id: this.#newId(kind === 'reasoning' ? 'rs' : 'msg'), said: '' };
    this.#open = open;
    const item = { ...this.#item(open), status: 'in_progress' };
    this.#send('response.output_item.added', { output_index: this.#items, item });
    const place = this.#place(open);
    if (kind === 'reasoning') {
      this.#send('response.reasoning_summary_part.added', { ...place, part: summary('') });
    } else {
      this.#send('response.content_part.added', { ...place, part: part(open) });
    }
  }

  #close(status: 'completed' | 'incomplete'): void {
    const open = this.#open;
    if (!open) return;
    this.#open = undefined;
    const place = this.#place(open);
    const { kind, said } = open;
    if (kind === 'text') this.#send('response.output_text.done', { ...place, text: said });
    if (kind === 'refusal') this.#send('response.refusal.done', { ...place, refusal: said });
    if (kind === 'reasoning') {
      this.#send('response.reasoning_summary_text.done', { ...place, text: said });
      this.#send('response.reasoning_summary_part.done', { ...place, part: summary(said) });
    } else {
      this.#send('response.content_part.done', { ...place, part: part(open) });
    }
    const item = { ...this.#item(open), status };
    this.#send('response.output_item.done', { output_index: this.#items, item });
    this.#items += 1;
  }

  #item(open: OpenItem): Json {
    const { kind, id, said } = open;
    if (kind === 'reasoning') {
      const shown = said === '' ? [] : [summary(said)];
      return { type: 'reasoning', id, summary: shown, encrypted_content: `sealed-${id}` };
    }
    return { type: 'message', id, role: 'assistant', content: said === '' ? [] : [part(open)] };
  }

  #place({ kind, id }: OpenItem): Json {
    const index = kind === 'reasoning' ? { summary_index: 0 } : { content_index: 0 };
    return { item_id: id, output_index: this.#items, ...index };
  }

  /** Reasoning belongs to the item that follows it. */
  #newId(prefix: string): string {
    const { nextId, issue } = contextOf(this.#res);
    const id = `${prefix}_${nextId()}`;
    if (this.#lastReasoning !== undefined) issue(id, this.#lastReasoning);
    this.#lastReasoning = prefix === 'rs' ? id : undefined;
    return id;
  }

  #response(status: string): Json {
    const { model } = contextOf(this.#res);
    return { id: 'resp_1', object: 'response', created_at: 1, model, status, output: [] };
  }

  #send(type: string, more: Json): void {
    this.#res.write(named(type, { type, sequence_number: this.#events, ...more }));
    this.#events += 1;
  }
}

const summary = (text: string) => ({ type: 'summary_text', text });

const part = ({ kind, said }: OpenItem) =>
  kind === 'refusal'
    ? { type: 'refusal', refusal: said }
    : { type: 'output_text', text: said, annotations: [] };

function incomplete(finish: Finish): string | undefined {
  if (finish === 'length' || finish === 'window') return 'max_output_tokens';
  if (finish === 'content_filter') return 'content_filter';
  return finish.startsWith('raw:') ? finish.slice(4) : undefined;
}

function usageOfResponse({ input, output, cached, reasoning }: Usage): Json {
  return {
    input_tokens: input,
    output_tokens: output,
    total_tokens: input + output,
    ...(cached === undefined ? {} : { input_tokens_details: { cached_tokens: cached } }),
    ...(reasoning === undefined ? {} : { output_tokens_details: { reasoning_tokens: reasoning } }),
  };
}
