/** The short form of the fault tests; `npm run test:faults` runs all of them. */
import { expect, test } from '@jest/globals';
import { administer, createBareDatabase } from '../helpers/database/database.js';
import { brokenNetwork, startBrokenNetwork } from './broken-network.js';
import { type Fault, kills, terminatedSessions } from './faults.js';
import { seeded } from '../helpers/text/random.js';
import { during, seed } from './report.js';
import { startRig } from './rig.js';

test('no acknowledged write is lost or applied twice, whatever is killed, terminated or cut', async () => {
  const database = await createBareDatabase('TEMPLATE agent_hosting');
  const network = await startBrokenNetwork(database.url, seeded(seed));
  const rig = await startRig(network.url, { environments: [{}, {}], clients: 4 });
  const everything: Fault = async (...victims) => {
    await kills(1)(...victims);
    await terminatedSessions(administer, 1_500)(...victims);
    return brokenNetwork(network, 1_500)(...victims);
  };
  try {
    const result = await during('everything', everything, rig);
    expect({ seed, ...result }).toMatchObject({
      lost: [],
      twice: [],
      violations: [],
      surprises: [],
      ended: [],
    });
    expect(result.acknowledged).toBeGreaterThan(0);
  } finally {
    await rig.stop();
    await network.close();
    await database.drop();
  }
});
