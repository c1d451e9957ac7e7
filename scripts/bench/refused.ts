/** Requests that are refused, beside bare express that answers the same JSON to anything. */
import { compare, type Compared } from './lib/compare.js';
import type { BenchContext } from './lib/context.js';
import { withEnvironment } from './lib/environment.js';
import type { Load } from './lib/load.js';
import { connections } from './lib/loads.js';
import { targets } from './lib/targets.js';
import type { Answer } from './refused/bare-server.js';
import { type RefusedCase, refusedCases } from './refused/cases.js';

const milliseconds = 1_200;

export async function benchRefused({ rounds = 5, report }: BenchContext): Promise<void> {
  await withEnvironment(async (environment) => {
    const url = await environment.startService();
    const cases = refusedCases(environment, url);
    const samples: Sample[] = [];
    for (const refused of cases) samples.push(await sampleOf(refused));
    const program = 'scripts/bench/refused/bare-server.ts';
    const answers = JSON.stringify(samples.map(({ answer }) => answer));
    const bare = await environment.start([program, answers]);
    const contenders = cases.flatMap(({ title, load, status }, index): Compared[] => {
      const sample = samples[index]?.load;
      const common = { status, milliseconds };
      return [
        {
          title: `express: ${title}`,
          url: bare,
          load: async () => ({ ...(sample ?? (await load())), ...common, url: `${bare}/${index}` }),
        },
        {
          title,
          url,
          load: async () => ({ ...(await load()), ...common }),
          base: `express: ${title}`,
          goals: { perSecond: targets.refused },
        },
      ];
    });
    const note = `${connections} connections, every request is logged`;
    report(await compare(environment, contenders, { title: 'Refused requests', note, rounds }));
  });
}

/** A request that is refused, and what the service answers. */
interface Sample {
  load: Load;
  answer: Answer;
}

async function sampleOf({ title, status, load }: RefusedCase): Promise<Sample> {
  const sample = await load();
  const { url, method, headers, body } = sample;
  const response = await fetch(url, { method, headers, ...(body !== undefined && { body }) });
  if (response.status !== status) throw new Error(`${title}: the status is ${response.status}`);
  return { load: sample, answer: { status, body: await response.json() } };
}
