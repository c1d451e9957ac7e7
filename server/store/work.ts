/** What is left for the background tasks, by this instance or any other. */
export { findPendingWork, type PendingWork } from './sql/work-pending.js';
