/** A log that cannot be written does not stop the service. */
import { expect, test } from '@jest/globals';
import { freePort } from '../../server/lib/net/free-port.js';
import { eventually } from '../helpers/eventually.js';
import { startBuilt } from '../helpers/programs/process.js';
import { environmentFor, useService } from '../helpers/service/service.js';

const observer = useService({ WORKER: 'off', ASYNC_CONCURRENCY: '0' });
const onLinux = process.platform === 'linux' ? test : test.skip;

onLinux.each(['1', '2'])(
  'the service starts, serves and stops on a full disk with WORKERS=%s',
  async (WORKERS) => {
    const PORT = String(await freePort());
    const service = await startBuilt('server/main', [], {
      environment: { ...environmentFor(observer), PORT, WORKERS },
      outputFile: '/dev/full',
    });
    try {
      await eventually(async () => {
        const { status } = await fetch(`http://127.0.0.1:${PORT}/readyz`);
        expect(status).toBe(200);
      });
    } finally {
      expect(await service.end('SIGTERM')).toBe(0);
    }
    expect(service.stderr()).toBe('');
  },
  120_000,
);
