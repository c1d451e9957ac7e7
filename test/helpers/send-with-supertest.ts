/** Sends a request with supertest. It is imported natively, so that a worker loads supertest once. */
import supertest from 'supertest';
import type { Method } from '../../generated/operations.js';

export async function sendWithSupertest(
  address: URL,
  method: Method,
  headers: Record<string, string>,
  body: string | undefined,
): Promise<Response> {
  const answer = await supertest(address.origin)
    [method](address.pathname + address.search)
    .set(headers)
    .send(body);
  return new Response(answer.text, {
    status: answer.status,
    headers: answer.headers as Record<string, string>,
  });
}
