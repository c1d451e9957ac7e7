/** Receivers over HTTPS: which certificates are trusted. */
import { expect, test } from '@jest/globals';
import { createAuthority } from '../../helpers/crypto/certificates.js';
import { useDeliveryTest } from '../../helpers/service/delivery.js';

const operators = createAuthority('The operator');
const unknownAuthority = createAuthority('A stranger');
const hosts = ['127.0.0.1'];

const fixture = useDeliveryTest({ worker: { ca: operators.cert } });

test("a certificate of the operator's own authority is trusted", async () => {
  const certificate = operators.issue({ name: 'receiver', hosts });
  const { receiver, webhook } = await fixture.receiving(undefined, certificate);
  const event = await fixture.send([webhook.id]);
  expect(await fixture.tried(event.id)).toMatchObject({ status: 'succeeded' });
  expect(receiver.receipts[0]?.body.toString()).toBe(event.body);
});

test.each([
  [
    'of an unknown authority',
    unknownAuthority.issue({ name: 'receiver', hosts }),
    'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  ],
  [
    'for another host',
    operators.issue({ name: 'receiver', hosts: ['hooks.example.com', '127.0.0.2'] }),
    'ERR_TLS_CERT_ALTNAME_INVALID',
  ],
  [
    'that has expired',
    operators.issue({ name: 'receiver', hosts, validUntil: new Date(Date.now() - 3_600_000) }),
    'CERT_HAS_EXPIRED',
  ],
])('a certificate %s is rejected before anything is sent', async (_name, certificate, code) => {
  const { receiver, webhook } = await fixture.receiving(undefined, certificate);
  const event = await fixture.send([webhook.id]);
  expect((await fixture.tried(event.id)).lastError).toBe(
    `The receiver has a certificate that is not trusted (${code}).`,
  );
  expect(receiver.receipts).toEqual([]);
});

test('plain HTTP behind an https address fails the attempt', async () => {
  const { receiver } = await fixture.receiving();
  const webhook = await fixture.webhook(receiver.url.replace('http:', 'https:'));
  const event = await fixture.send([webhook.id]);
  expect((await fixture.tried(event.id)).lastError).toBe('The receiver failed the TLS handshake.');
});
