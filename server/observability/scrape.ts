/** How metrics are read. Imports nothing: without metrics nothing of them is loaded. */
import type { PrometheusContentType } from 'prom-client';

/** Of the text format. */
export const metricsContentType: PrometheusContentType = 'text/plain; version=0.0.4; charset=utf-8';

/** Reads what all processes together tell, in the text format. */
export type Scrape = () => Promise<string>;

/** Scrapes within this time, and those that come while one is collected, get the same: a flood of them costs little. */
const maxAgeMs = 500;

export function sharing(scrape: Scrape): Scrape {
  let last: { at: number; text: Promise<string> } | undefined;
  return () => {
    if (last && performance.now() - last.at < maxAgeMs) return last.text;
    const current = { at: Infinity, text: scrape() };
    last = current;
    void current.text
      .catch(() => undefined)
      .finally(() => {
        current.at = performance.now();
      });
    return current.text;
  };
}
