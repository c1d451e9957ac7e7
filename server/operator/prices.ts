/** Reads the operator's price table: the price of a million tokens for each model. */
import { readFile } from 'node:fs/promises';
import { isMap, isScalar, LineCounter, type Pair, parseDocument } from 'yaml';
import type { PriceOf } from '../metrics/costs.js';
import { messageOf } from '../lib/errors/error-code.js';
import { CommandFailure } from './failure.js';

const example = 'openai/gpt-5: { perMillion: 4.5 }';

/** Throws an error that lists every problem with its line unless the table is valid. */
export async function loadPrices(file: string): Promise<PriceOf> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw new CommandFailure(`PRICES_FILE: ${file} cannot be read: ${messageOf(error)}`);
  });
  const { prices, problems } = parsePrices(text);
  if (problems.length > 0) {
    throw new CommandFailure(
      `The price table in PRICES_FILE is not valid. Example of a line: ${example}`,
      problems.map(({ line, message }) => `${file}:${line}  ${message}`),
    );
  }
  return (model) =>
    prices.get(model) ?? prices.get(`${providerOf(model)}/*`) ?? (isBuiltIn(model) ? 0 : undefined);
}

const providerOf = (model: string) => model.slice(0, model.indexOf('/'));

/** Built-in models are free. */
const isBuiltIn = (model: string) => providerOf(model) === 'builtin';

interface PriceProblem {
  line: number;
  message: string;
}

interface ParsedPrices {
  prices: Map<string, number>;
  problems: PriceProblem[];
}

/** Also parses JSON, which is valid YAML. */
function parsePrices(text: string): ParsedPrices {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  const lineOf = (offset = 0) => lines.linePos(offset).line;
  const prices = new Map<string, number>();
  const [error] = document.errors;
  if (error) {
    const [reason] = error.message.split(' at line ');
    return { prices, problems: [{ line: lineOf(error.pos[0]), message: `not valid: ${reason}` }] };
  }
  const { contents } = document;
  if (!isMap(contents)) {
    return { prices, problems: [{ line: 1, message: 'must map model names to prices' }] };
  }
  const problems = contents.items.flatMap((item) => {
    const { model, price } = priceIn(item);
    if (typeof price === 'number') {
      prices.set(model, price);
      return [];
    }
    const offset = isScalar(item.key) ? item.key.range[0] : undefined;
    return [{ line: lineOf(offset), message: `${model || 'the name'} ${price}` }];
  });
  return { prices, problems };
}

/** `price` is a number, or a description of the problem. */
function priceIn({ key, value }: Pair): { model: string; price: number | string } {
  const model = isScalar(key) ? String(key.value) : '';
  if (!/^[^/\s]+\/\S+$/.test(model)) {
    return {
      model,
      price: 'must be a model name, such as openai/gpt-5, or openai/* for all',
    };
  }
  const settings: unknown = isMap(value) ? value.toJSON() : undefined;
  const { perMillion, ...others } = { perMillion: undefined, ...Object(settings) } as Record<
    string,
    unknown
  >;
  if ('input' in others || 'output' in others) {
    return {
      model,
      price: 'must have one price, perMillion: input and output tokens are only known together',
    };
  }
  const isPrice = typeof perMillion === 'number' && perMillion >= 0 && perMillion < Infinity;
  if (isPrice && Object.keys(others).length === 0) return { model, price: perMillion };
  return { model, price: 'must have perMillion, a number of at least 0, and nothing else' };
}
