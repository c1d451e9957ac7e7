/** Generates the client's code from the contract: types, a method for each operation, a class for each error. */

import { readFile } from 'node:fs/promises';
import { closeAnswers } from '../lib/closed-contract.js';
import { inProject } from '../lib/project.js';
import { plural } from '../lib/terminal.js';
import { clientMethods } from './client-model.js';
import { resourcesSource } from './client-resources.js';
import { errorsSource, knownErrors, serviceSource } from './client-service.js';
import { clientTypes } from './client-types.js';
import { header, type Step } from './step.js';

export const client: Step = {
  name: 'client',
  destination: 'client',
  outputs: ['resources.ts', 'errors.ts', 'schema.ts', 'service.ts'],
  waitsForContract: true,
  async make(inputs) {
    const contract = closeAnswers(await inputs.contract());
    const methods = clientMethods(contract);
    const errors = knownErrors(contract);
    const manifest = await readFile(inProject('client/package.json'), 'utf8');
    const { version } = JSON.parse(manifest) as { version: string };
    const schema = await clientTypes(contract);
    return {
      summary: `${plural(methods.length, 'method')}, ${plural(errors.length, 'error')}`,
      files: {
        'errors.ts': errorsSource(errors),
        'resources.ts': resourcesSource(contract, methods),
        'schema.ts': `// ${header}\n\n${schema}`,
        'service.ts': serviceSource(contract, methods, errors, version),
      },
    };
  },
};
