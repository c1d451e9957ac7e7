/** Settings of earlier versions, which would have no effect any more, and what to do instead. */
export const withdrawnVariables: Record<string, string> = {
  DATABASE_CONNECT_TIMEOUT_MS:
    'Remove it, and to wait longer than 5 seconds for a connection, add ?connect_timeout=SECONDS to DATABASE_URL.',
};
