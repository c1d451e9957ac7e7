/** A server that does nothing, so that a call takes as little time as possible and the share of the SDK is largest. */
import { createServer } from 'node:http';

const body = JSON.stringify({
  success: true,
  data: {
    id: 'agent_01m7ejgyxte7ss3wzw2hrpx150',
    name: 'echo',
    status: 'running',
    model: 'builtin/echo',
    temperature: 0.3,
    active_deployment_id: null,
    created_at: '2026-11-15T03:02:59.514Z',
    updated_at: '2026-11-15T03:03:13.409Z',
  },
});

const server = createServer((request, response) => {
  request.resume().once('end', () => {
    response
      .writeHead(200, { 'content-type': 'application/json', 'content-length': body.length })
      .end(body);
  });
});

server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  const port = address !== null && typeof address === 'object' ? address.port : 0;
  console.log(`ready at http://127.0.0.1:${port}`);
});
