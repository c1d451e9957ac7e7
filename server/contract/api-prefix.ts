/** The first segment of every path of the API. */
import { operations } from '../../generated/operations.js';

export const apiPrefix = `/${operations.listAgents.path.split('/')[1] ?? ''}`;
