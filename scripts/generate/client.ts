/** Derives the client's code from the contract: its types, a method for each operation, a class for each error. */

import { closeAnswers } from '../lib/closed-contract.js';
import { plural } from '../lib/terminal.js';
import { asJson } from './bundle.js';
import { clientMethods } from './client-model.js';
import { resourcesSource } from './client-resources.js';
import { errorsSource, knownErrors, serviceSource } from './client-service.js';
import { header, type Step } from './step.js';
import { typesOf } from './types.js';

export const client: Step = {
  name: 'client',
  destination: 'client',
  outputs: ['resources.ts', 'errors.ts', 'schema.ts', 'service.ts'],
  waitsForContract: true,
  async make(inputs) {
    const contract = closeAnswers(await inputs.contract());
    const methods = clientMethods(contract);
    const errors = knownErrors(contract);
    // A caller may leave out what has a default; the server receives it filled in.
    const schema = await typesOf(asJson(contract), { defaultNonNullable: false });
    return {
      summary: `${plural(methods.length, 'method')}, ${plural(errors.length, 'error')}`,
      files: {
        'errors.ts': errorsSource(errors),
        'resources.ts': resourcesSource(contract, methods),
        'schema.ts': `// ${header}\n\n${schema}`,
        'service.ts': serviceSource(contract, methods, errors),
      },
    };
  },
};
