/** Clients generated from the contract for other ecosystems compile, and those of three languages call all operations. */

import { describe, expect, test } from '@jest/globals';
import { operations } from '../../generated/operations.js';
import { insertDeployment } from '../helpers/database/rows.js';
import { useService } from '../helpers/service/service.js';
import { generators, outputFolder } from './generators.js';
import { missing, reasonToSkip } from './toolchains.js';

// Nothing is delivered to the webhook addresses.
const service = useService({ WORKER: 'off' });
const minutes = 60_000;

const absent = [...missing.values()].join(', ');

test(`every toolchain is here${absent && `, except ${absent}`}`, () => {
  // Outside CI a missing toolchain is named in the titles of the skipped tests.
  if (process.env['REQUIRE_TOOLCHAINS']) expect(absent).toBe('');
});

for (const generator of generators) {
  const reason = reasonToSkip(generator.needs);
  const { drive } = generator;
  let out: string;

  (reason ? describe.skip : describe)(`${generator.name}${reason}`, () => {
    test(
      'accepts the contract',
      async () => {
        out = await outputFolder(generator);
        const output = await generator.generate(out);
        expect(output).not.toMatch(/\bERROR\b|will not be generated|Unable to process/);
      },
      10 * minutes,
    );

    test('generates a client that compiles', () => generator.compile(out), 15 * minutes);

    if (drive) {
      test(
        `calls all ${Object.keys(operations).length} operations, with nulls and time zone offsets`,
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
