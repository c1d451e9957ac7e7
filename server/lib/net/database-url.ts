/** Parses PostgreSQL URLs as libpq does, including URLs with a user but no host, for a socket. */

interface DatabaseUrl {
  /** A name, an address, or the directory of a socket. Empty for the driver's default. */
  host: string;
  port: string;
  user: string;
  database: string;
  parameters: URLSearchParams;
}

/** Undefined if the text is not a PostgreSQL URL. */
export function parseDatabaseUrl(text: string): DatabaseUrl | undefined {
  const url = [text, text.replace('@/', '@localhost/')].find((candidate) =>
    URL.canParse(candidate),
  );
  if (url === undefined) return undefined;
  const { protocol, hostname, port, username, pathname, searchParams } = new URL(url);
  if (protocol !== 'postgresql:' && protocol !== 'postgres:') return undefined;
  const host = searchParams.get('host') ?? (url === text ? decodeURIComponent(hostname) : '');
  return {
    host,
    port: searchParams.get('port') ?? (port === '' ? '5432' : port),
    user: decodeURIComponent(username),
    database: decodeURIComponent(pathname.slice(1)),
    parameters: searchParams,
  };
}

export const defaultConnectTimeoutS = 5;
export const maxConnectTimeoutS = 60;

/** How long to wait for a connection: `connect_timeout` of the URL, as in libpq, which is in seconds. */
export function connectTimeoutMs(url: string): number {
  const seconds = parseDatabaseUrl(url)?.parameters.get('connect_timeout');
  return Number(seconds ?? defaultConnectTimeoutS) * 1_000;
}

/** Whether the URL has several hosts separated by commas, as libpq allows. */
export function namesSeveralHosts(text: string): boolean {
  const [, authority = ''] = /^\w+:\/\/([^/?#]*)/.exec(text) ?? [];
  const hosts = authority.slice(authority.lastIndexOf('@') + 1);
  return hosts.includes(',') || (parseDatabaseUrl(text)?.host.includes(',') ?? false);
}
