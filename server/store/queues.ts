/** How much waits in the queues of the database. */
export { measureQueues, type QueueMeasure, type QueueMeasures } from './sql/queues-measure.js';
