/** Reads the chunks that a model generates, until it ends or is aborted, and makes its text storable. */
import { orAborted } from '../lib/async/abort.js';
import { storable } from '../lib/text/storable.js';
import type { ModelUsage } from './observer.js';
import type { CallEnd, Chunk } from './model.js';

interface ChunkListener {
  /** The model has begun to answer. */
  onAccepted: () => void;
  onStatus: (status: number) => void;
  onText: (text: string) => void;
  onUsage: (usage: ModelUsage) => void;
  onChanged: (changed: string) => void;
  onEnd: (end: CallEnd) => void;
}

export async function readChunks(
  chunks: AsyncIterable<Chunk> | Iterable<Chunk>,
  signal: AbortSignal,
  { onAccepted, onStatus, onText, onUsage, onChanged, onEnd }: ChunkListener,
): Promise<void> {
  /** A trailing high surrogate waits for its other half, which the next chunk may bring. */
  let held = '';
  const emit = (text: string) => {
    const complete = storable(text);
    if (complete !== '') onText(complete);
  };
  const take = (text: string) => {
    const pending = held + text;
    held = endsWithHighSurrogate(pending) ? pending.slice(-1) : '';
    emit(held === '' ? pending : pending.slice(0, -1));
  };
  const handle = (chunk: Chunk) => {
    if ('text' in chunk) take(chunk.text);
    else if ('tokensUsed' in chunk) onUsage(chunk);
    else if ('accepted' in chunk) onAccepted();
    else if ('status' in chunk) onStatus(chunk.status);
    else if ('changed' in chunk) onChanged(chunk.changed);
    else onEnd(chunk);
  };
  if (Symbol.asyncIterator in chunks) {
    for await (const chunk of untilAborted(chunks, signal)) handle(chunk);
  } else {
    for (const chunk of chunks) handle(chunk);
  }
  emit(held);
}

/** Rejects when the signal aborts, even if the model ignores the signal. */
function untilAborted(chunks: AsyncIterable<Chunk>, signal: AbortSignal): AsyncIterable<Chunk> {
  return {
    [Symbol.asyncIterator]() {
      const iterator = chunks[Symbol.asyncIterator]();
      return {
        next: () => orAborted(iterator.next(), signal),
        return: () => {
          // Not awaited: a model that hangs would block here too.
          void iterator.return?.().catch(() => undefined);
          return Promise.resolve({ done: true, value: undefined });
        },
      };
    },
  };
}

function endsWithHighSurrogate(text: string): boolean {
  const last = text.charCodeAt(text.length - 1);
  return last >= 0xd800 && last <= 0xdbff;
}
