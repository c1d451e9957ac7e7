/** Signatures: those of the service, those accepted by the SDK helper, and both checked with an independent library. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { verifyWebhook, WebhookVerificationError } from '../../../client/src/webhooks.js';
import { signatureHeaders } from '../../../server/webhooks/deliveries/signature.js';

interface Vector {
  name: string;
  secret: string;
  id: string;
  timestamp: number;
  body: string;
  standard: string;
  service: string;
}

/** Computed by an independent program. */
const vectors = JSON.parse(
  readFileSync(new URL('signature-vectors.json', import.meta.url), 'utf8'),
) as Vector[];

const signed = ({ secret, id, timestamp, body }: Vector) =>
  signatureHeaders(secret, { id, timestamp, body: Buffer.from(body) });

describe.each(vectors)('$name', (vector) => {
  const headers = signed(vector);
  const at = { now: vector.timestamp * 1000 };

  test('has the signature of the vector', () => {
    expect(headers).toEqual({
      'webhook-id': vector.id,
      'webhook-timestamp': String(vector.timestamp),
      'webhook-signature': vector.standard,
      'x-service-signature': vector.service,
    });
  });

  test('is accepted by the helper, with every type of body and headers', async () => {
    const bytes = new TextEncoder().encode(vector.body);
    const capitalised = Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name.toUpperCase(), [value]]),
    );
    for (const body of [vector.body, bytes, bytes.buffer, Buffer.from(vector.body)]) {
      for (const given of [headers, new Headers(headers), capitalised]) {
        expect(await verifyWebhook(body, given, vector.secret, at)).toEqual(
          JSON.parse(vector.body),
        );
      }
    }
  });

  test('is accepted by the helper if one of several secrets matches', async () => {
    const { body, secret } = vector;
    const other = `whsec_${Buffer.alloc(32, 9).toString('base64')}`;
    for (const secrets of [[secret], [other, secret], [secret, other]]) {
      expect(await verifyWebhook(body, headers, secrets, at)).toEqual(JSON.parse(body));
    }
    for (const secrets of [[other], [other, other], []]) {
      const verified = verifyWebhook(body, headers, secrets, at);
      await expect(verified).rejects.toThrow(WebhookVerificationError);
    }
    // Both signatures must use the same secret.
    const mixed = {
      ...headers,
      'x-service-signature': signed({ ...vector, secret: other })['x-service-signature'],
    };
    await expect(verifyWebhook(body, mixed, [secret, other], at)).rejects.toThrow(
      WebhookVerificationError,
    );
    await expect(verifyWebhook(body, headers, [secret, 'wrong'], at)).rejects.toThrow(TypeError);
  });

  test('is rejected by the helper after any change', async () => {
    const { body, secret } = vector;
    const other = vectors.find(({ id }) => id !== vector.id) ?? vector;
    const changedHeaders = [
      { 'webhook-id': other.id },
      { 'webhook-timestamp': String(vector.timestamp + 1) },
      { 'webhook-timestamp': 'now' },
      { 'webhook-signature': other.standard },
      { 'webhook-signature': '' },
      { 'webhook-signature': 'v2,AAAA' },
      { 'webhook-signature': 'v1,' },
      { 'webhook-signature': 'v1,=A=' },
      { 'x-service-signature': other.service },
      { 'x-service-signature': vector.service.replace(/.$/, 'g') },
    ];
    const changes: Parameters<typeof verifyWebhook>[] = [
      [body.replace('"type"', '"Type"'), headers, secret, at],
      [`${body} `, headers, secret, at],
      [body, headers, other.secret, at],
      ...changedHeaders.map((change): Parameters<typeof verifyWebhook> => [
        body,
        { ...headers, ...change },
        secret,
        at,
      ]),
    ];
    for (const change of changes) {
      await expect(verifyWebhook(...change)).rejects.toThrow(WebhookVerificationError);
    }
  });

  test('is rejected by the helper when it differs from now by more than five minutes', async () => {
    const { timestamp, body, secret } = vector;
    for (const seconds of [-301, 301]) {
      const now = (timestamp + seconds) * 1000;
      await expect(verifyWebhook(body, headers, secret, { now })).rejects.toThrow(/time/);
    }
    for (const seconds of [-299, 299]) {
      await verifyWebhook(body, headers, secret, { now: (timestamp + seconds) * 1000 });
    }
  });
});

test('the helper accepts any of several signatures, as after a secret rotation', async () => {
  const [vector] = vectors;
  if (!vector) throw new Error('There are no vectors.');
  const headers = {
    ...signed(vector),
    'webhook-signature': `v1a,xyz v1,${Buffer.alloc(32).toString('base64')} ${vector.standard}`,
  };
  const now = vector.timestamp * 1000;
  await verifyWebhook(vector.body, headers, vector.secret, { now });
});

test('the helper reports a malformed secret', async () => {
  const [vector] = vectors;
  if (!vector) throw new Error('There are no vectors.');
  const now = vector.timestamp * 1000;
  for (const secret of ['', 'whsec_', 'secret', 'whsec_***']) {
    await expect(verifyWebhook(vector.body, signed(vector), secret, { now })).rejects.toThrow(
      /complete secret that Create Webhook returned/,
    );
  }
});

test('the helper asks for the raw body if the body is parsed or missing', async () => {
  const [vector] = vectors;
  if (!vector) throw new Error('There are no vectors.');
  const now = vector.timestamp * 1000;
  const parsed: unknown[] = [JSON.parse(vector.body), [vector.body], {}, undefined, null];
  for (const body of parsed) {
    const verified = verifyWebhook(body as string, signed(vector), vector.secret, { now });
    await expect(verified).rejects.toThrow(TypeError);
    await expect(verified).rejects.toThrow(/^Pass the raw body, .*express\.raw/);
  }
  const serialised = JSON.stringify({ ...(JSON.parse(vector.body) as object), more: 1 });
  await expect(verifyWebhook(serialised, signed(vector), vector.secret, { now })).rejects.toThrow(
    /pass the raw body/,
  );
});

test('the Standard Webhooks library accepts a fresh signature, and no changed byte', () => {
  const secret = `whsec_${Buffer.alloc(32, 9).toString('base64')}`;
  const body = Buffer.from('{"id":"evt_1","text":"Grüße"}');
  const headers = signatureHeaders(secret, {
    id: 'evt_1',
    timestamp: Math.floor(Date.now() / 1000),
    body,
  });
  const verifier = new Webhook(secret);
  expect(verifier.verify(body, headers)).toEqual({ id: 'evt_1', text: 'Grüße' });
  for (let index = 0; index < body.length; index += 1) {
    const changed = Buffer.from(body);
    changed[index] = (changed[index] ?? 0) ^ 1;
    expect(() => verifier.verify(changed, headers)).toThrow();
  }
});
