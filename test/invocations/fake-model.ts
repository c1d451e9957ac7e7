/** A model whose output a test controls step by step. */
import type { ServerResponse } from 'node:http';
import { eventually } from '../helpers/eventually.js';
import { chatCompletions, type Respond } from '../helpers/model-provider/wire-formats.js';

export interface FakeModel {
  reply: Respond;
  /** Waits for a request, and then sends these words. */
  say: (...words: string[]) => Promise<void>;
  /** Ends its response. */
  finish: () => Promise<void>;
  /** Closes its connection. */
  breakOff: () => Promise<void>;
}

export function createFakeModel(): FakeModel {
  const asked: ServerResponse[] = [];
  const last = () =>
    eventually(() => {
      const response = asked.at(-1);
      if (!response) throw new Error('The model got no request.');
      return response;
    });
  return {
    reply: (response) => void asked.push(response),
    say: async (...words) => {
      chatCompletions.say(await last(), words);
    },
    finish: async () => {
      chatCompletions.finish(await last(), { input: 5, output: 2 });
    },
    breakOff: async () => {
      (await last()).destroy();
    },
  };
}
