/** What every path of the API begins with, as the contract has it. */
import { operations } from '../../generated/operations.js';

export const apiPrefix = `/${operations.listAgents.path.split('/')[1] ?? ''}`;
