import type { Tenant } from '../helpers/service/service.js';

/** Invokes continuously, in every account. */
export function startLoad(invoked: Tenant[]) {
  let isStopping = false;
  let answered = 0;
  const failures: unknown[] = [];
  const clients = invoked.flatMap((tenant) =>
    [0, 1].map(async () => {
      const { id } = await tenant.newAgent();
      while (!isStopping) {
        const { status, body } = await tenant.api.call('invokeAgent', {
          path: { agent_id: id },
          body: { message: 'under load', context: { session_id: 'load' } },
        });
        if (status === 200) answered += 1;
        else failures.push(body);
      }
    }),
  );
  return {
    stop: async () => {
      isStopping = true;
      await Promise.all(clients);
      return { answered, failures };
    },
  };
}
