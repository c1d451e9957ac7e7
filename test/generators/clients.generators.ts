/** Clients that other ecosystems generate from the contract compile, and those of three languages drive all operations. */

import { describe, expect, test } from '@jest/globals';
import { operations } from '../../generated/operations.js';
import { insertDeployment } from '../helpers/rows.js';
import { useService } from '../helpers/service.js';
import { generators, outputFolder } from './generators.js';
import { missing, reasonToSkip } from './toolchains.js';

// Nothing is delivered to the addresses of the webhooks.
const service = useService({ WORKER: 'off' });
const minutes = 60_000;

const absent = [...missing.values()].join(', ');

test(`every toolchain is here${absent && `, except ${absent}`}`, () => {
  // Elsewhere a missing one is said in the titles of what is skipped.
  if (process.env['REQUIRE_TOOLCHAINS']) expect(absent).toBe('');
});

for (const generator of generators) {
  const reason = reasonToSkip(generator.needs);
  const { drive } = generator;
  let out: string;

  (reason ? describe.skip : describe)(`${generator.name}${reason}`, () => {
    test(
      'takes the contract',
      async () => {
        out = await outputFolder(generator);
        const output = await generator.generate(out);
        expect(output).not.toMatch(/\bERROR\b|will not be generated|Unable to process/);
      },
      10 * minutes,
    );

    test('makes a client that compiles', () => generator.compile(out), 15 * minutes);

    if (drive) {
      test(
        `drives all ${Object.keys(operations).length} operations, with null and with offsets`,
        async () => {
          const tenant = await service.tenant();
          const agent = await tenant.newAgent();
          await insertDeployment(service.database, agent.id, { environment: 'staging' });
          const output = await drive(out, {
            SERVICE_URL: service.url,
            API_KEY: tenant.key,
            AGENT_ID: agent.id,
            WEBHOOK_URL: 'https://93.184.215.14/hooks',
          });
          expect(output.trim().split('\n').toSorted()).toEqual(Object.keys(operations).toSorted());
        },
        10 * minutes,
      );
    }
  });
}
