/** Variables that earlier versions read, with what to do instead. Ignoring one could silently weaken an installation. */
export const withdrawnVariables: Record<string, string> = {
  DATABASE_CONNECT_TIMEOUT_MS:
    'Remove it, and to wait longer than 5 seconds for a connection, add ?connect_timeout=SECONDS to DATABASE_URL.',
  METRICS_HOST: 'Set METRICS_PORT to host:port instead.',
  RATE_LIMIT_STORE:
    'Remove it: a single process with the embedded PostgreSQL counts requests in memory, and all others count them in the database.',
  TLS_CLIENT_CA:
    "Remove it: clients are asked for a certificate of any authority, and each agent's caCert decides which it accepts.",
  WEBHOOK_PORTS:
    'Remove it: webhooks may use port 443 and the ports from 1024. Restrict them further in your firewall.',
};
