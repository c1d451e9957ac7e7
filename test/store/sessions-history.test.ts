/** The history of a session is bounded in bytes, whatever was said in it. */
import { expect, test } from '@jest/globals';
import { newId } from '../../server/lib/typeid.js';
import { readHistory } from '../../server/store/sql/sessions-history.js';
import { useDatabase } from '../helpers/database.js';
import { insertAccount, insertAgent } from '../helpers/rows.js';

const bench = useDatabase();

test('holds whole exchanges, the latest ones, up to 4 MB', async () => {
  const agentId = await insertAgent(bench.database, await insertAccount(bench.database));
  const session = { agentId, userId: null, sessionId: 'chat' };
  for (const [minute, length] of [3_900_000, 2_000_000, 10].entries()) {
    const common = { ...session, requestId: 'req_1', createdAt: new Date(minute * 60_000) };
    await bench.database.prisma.memoryEntry.createMany({
      data: [
        { ...common, id: newId('mem'), role: 'user', content: `Question ${minute}` },
        { ...common, id: newId('mem'), role: 'agent', content: 'x'.repeat(length) },
      ],
    });
  }
  const history = await readHistory(bench.database, session, 20);
  expect(history.map(({ role, content }) => `${role} ${content.length}`)).toEqual([
    'user 10',
    'agent 2000000',
    'user 10',
    'agent 10',
  ]);
});
