/** Parses the Prometheus text format strictly: anything that the format does not allow is an error. */
import { expect } from '@jest/globals';
import { eventually } from '../eventually.js';

export interface Sample {
  name: string;
  labels: Record<string, string>;
  value: number;
}

export interface Family {
  name: string;
  help: string;
  type: string;
  samples: Sample[];
}

export class Exposition {
  readonly families: Map<string, Family>;

  constructor(families: Map<string, Family>) {
    this.families = families;
  }

  /** Every name that a query can select. */
  get names(): string[] {
    const names = [...this.families.values()].flatMap(({ samples }) =>
      samples.map(({ name }) => name),
    );
    return [...new Set(names)];
  }

  /** All samples of the name whose labels include these. */
  select(name: string, labels: Record<string, string> = {}): Sample[] {
    const wanted = Object.entries(labels);
    return [...this.families.values()]
      .flatMap(({ samples }) => samples)
      .filter((sample) => sample.name === name)
      .filter((sample) => wanted.every(([label, value]) => sample.labels[label] === value));
  }

  /** The sum of these samples; fails if there are none. */
  value(name: string, labels: Record<string, string> = {}): number {
    const samples = this.select(name, labels);
    if (samples.length === 0)
      throw new Error(`There is no ${name} with ${JSON.stringify(labels)}.`);
    return samples.reduce((sum, { value }) => sum + value, 0);
  }
}

const namePattern = '[a-zA-Z_:][a-zA-Z0-9_:]*';
const types = ['counter', 'gauge', 'histogram', 'summary', 'untyped'];

export function parseExposition(text: string): Exposition {
  const families = new Map<string, Family>();
  const seen = new Set<string>();
  let current: Family | undefined;
  if (!text.endsWith('\n')) throw new Error('The last line does not end.');
  for (const line of text.slice(0, -1).split('\n')) {
    if (line === '') continue;
    const comment = new RegExp(`^# (HELP|TYPE) (${namePattern}) (.*)$`).exec(line);
    if (comment) {
      const [, kind, name = '', rest = ''] = comment;
      if (kind === 'HELP') {
        if (families.has(name)) throw new Error(`${name} is there twice.`);
        current = { name, help: rest, type: '', samples: [] };
        families.set(name, current);
      } else {
        if (current?.name !== name || !types.includes(rest)) throw new Error(`Misplaced: ${line}`);
        current.type = rest;
      }
      continue;
    }
    const sample = parseSample(line);
    if (!current || !belongs(sample.name, current)) throw new Error(`No family for: ${line}`);
    const key = `${sample.name} ${JSON.stringify(Object.entries(sample.labels).sort())}`;
    if (seen.has(key)) throw new Error(`Twice: ${line}`);
    seen.add(key);
    current.samples.push(sample);
  }
  for (const family of families.values()) checkHistogram(family);
  return new Exposition(families);
}

function belongs(sample: string, { name, type }: Family): boolean {
  if (type !== 'histogram') return sample === name;
  return ['_bucket', '_sum', '_count'].some((suffix) => sample === name + suffix);
}

function parseSample(line: string): Sample {
  const [, name = '', labels = '', number = ''] =
    new RegExp(`^(${namePattern})(?:\\{(.*)\\})? (\\S+)$`).exec(line) ?? [];
  if (name === '') throw new Error(`Not a sample: ${line}`);
  const value = { '+Inf': Infinity, '-Inf': -Infinity, Nan: NaN, NaN }[number] ?? Number(number);
  if (Number.isNaN(value) && !/^nan$/i.test(number)) throw new Error(`Not a number: ${line}`);
  return { name, labels: parseLabels(labels), value };
}

function parseLabels(text: string): Record<string, string> {
  const labels: Record<string, string> = {};
  const pattern = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"(?:,|$)/y;
  while (pattern.lastIndex < text.length) {
    const [whole, name = '', value = ''] = pattern.exec(text) ?? [];
    if (whole === undefined || name in labels) throw new Error(`Not labels: ${text}`);
    labels[name] = value.replaceAll(/\\(.)/g, (_, escaped: string) =>
      escaped === 'n' ? '\n' : escaped,
    );
  }
  return labels;
}

function checkHistogram({ name, type, samples }: Family): void {
  if (type !== 'histogram') return;
  const counts = samples.filter((sample) => sample.name === `${name}_count`);
  for (const { labels, value } of counts) {
    const buckets = samples.filter(
      (sample) =>
        sample.name === `${name}_bucket` &&
        Object.entries(labels).every(([label, own]) => sample.labels[label] === own),
    );
    const values = buckets.map((bucket) => bucket.value);
    expect(values).toEqual(values.toSorted((one, other) => one - other));
    expect(buckets.at(-1)?.labels['le']).toBe('+Inf');
    expect(values.at(-1)).toBe(value);
  }
}

export interface ScrapeOptions {
  token?: string;
}

/** Scrapes the service, or its separate metrics listener. */
export async function scrape(url: string, { token }: ScrapeOptions = {}): Promise<Exposition> {
  const response = await fetch(url.endsWith('/metrics') ? url : `${url}/metrics`, {
    headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
  });
  const text = await response.text();
  if (response.status !== 200)
    throw new Error(`The scrape failed with ${response.status}: ${text}`);
  expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
  return parseExposition(text);
}

/** A scrape for which the database answered in time. */
export const scrapeWithDatabase = (url: string, options: ScrapeOptions): Promise<Exposition> =>
  eventually(async () => {
    const exposition = await scrape(url, options);
    expect(exposition.value('agent_hosting_database_up')).toBe(1);
    return exposition;
  }, 30_000);
