/** What is the same for every server that is compared. */

export const instructions = 'You answer questions about orders, briefly and kindly.';
/** How many messages of a conversation the model is sent. */
export const historyLimit = 10;
/** Connections to PostgreSQL. */
export const poolSize = 20;
