/** Enrols an authenticator for an agent, as `operator mfa enrol` does. */
import { enrol } from '../../server/access/one-time-code.js';
import { type Authenticator, readEnrolment } from '../helpers/crypto/authenticator.js';
import { type Tenant, testSecrets, type TestService } from '../helpers/service/service.js';

export async function enrolAgent(
  { database }: Pick<TestService, 'database'>,
  { accountId }: Pick<Tenant, 'accountId'>,
  agent: { id: string; name: string },
): Promise<Authenticator> {
  return readEnrolment(
    await database.transaction((transaction) =>
      enrol(transaction, testSecrets, { ...agent, accountId, account: 'acme' }),
    ),
  );
}
