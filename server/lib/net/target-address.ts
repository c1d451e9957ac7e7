/** Decides which URLs from untrusted sources may be requested: by default only public addresses over https. */
import ipaddr from 'ipaddr.js';
import {
  hostAddress,
  type HostAddress,
  type Resolve,
  resolveInDns,
  resolveOnThisMachine,
} from './resolve-host.js';

export interface TargetPolicy {
  /** For development: allows plain http, any port, and loopback and private addresses. */
  allowPrivate: boolean;
  resolve?: Resolve | undefined;
}

/** The reason may be shown to users: it reveals nothing about the internal network. */
export class TargetRefused extends Error {
  override readonly name = 'TargetRefused';
  readonly reason: string;

  constructor(reason: string) {
    super(`The target was refused: it ${reason}.`);
    this.reason = reason;
  }
}

const firstUnprivilegedPort = 1024;

const specialAddress =
  'must not lead to a private, loopback, link-local or otherwise special address';

/** Metadata services of cloud providers that no reserved range covers; they hand out credentials. */
const metadataServices = new Set(['168.63.129.16', 'fd00:ec2::254']);

const developmentRanges = new Set(['loopback', 'private', 'uniqueLocal']);

const globalUnicast6 = ipaddr.IPv6.parse('2000::');

/** ipaddr.js treats addresses outside of the ranges that it knows as unicast, so IPv6 must also be in 2000::/3. */
export function isPublicAddress(address: string): boolean {
  const parsed = parse(address);
  if (!parsed || metadataServices.has(parsed.toString())) return false;
  if (parsed.range() !== 'unicast') return false;
  return parsed instanceof ipaddr.IPv4 || parsed.match(globalUnicast6, 3);
}

function isDevelopmentAddress(address: string): boolean {
  const parsed = parse(address);
  return (
    parsed !== undefined &&
    !metadataServices.has(parsed.toString()) &&
    developmentRanges.has(parsed.range())
  );
}

function parse(address: string): ipaddr.IPv4 | ipaddr.IPv6 | undefined {
  // An address with a zone is link-local.
  if (address.includes('%') || hostAddress(address).length === 0) return undefined;
  return ipaddr.parse(address);
}

/** Throws TargetRefused for a URL that can be refused without a DNS query. */
function checkUrl(url: URL, { allowPrivate }: TargetPolicy): void {
  const schemes = allowPrivate ? ['https:', 'http:'] : ['https:'];
  if (!schemes.includes(url.protocol)) throw new TargetRefused('must be https');
  if (url.username !== '' || url.password !== '') {
    throw new TargetRefused('must not contain a user name or a password');
  }
  if (url.hash !== '') throw new TargetRefused('must not have a fragment, which is never sent');
  const port = url.port === '' ? 443 : Number(url.port);
  // The other privileged ports belong to other protocols.
  if (!allowPrivate && port !== 443 && port < firstUnprivilegedPort) {
    throw new TargetRefused(`must not use port ${port}`);
  }
  // These names mean the loopback address by definition, regardless of DNS.
  if (!allowPrivate && /(^|\.)localhost\.?$/.test(url.hostname)) {
    throw new TargetRefused(specialAddress);
  }
}

/**
 * The checked addresses to connect to; empty if the name has none. Throws TargetRefused if any of them is not allowed:
 * a name that resolves to both public and private addresses is suspicious.
 */
export async function allowedAddresses(
  url: URL,
  policy: TargetPolicy,
  signal: AbortSignal,
): Promise<HostAddress[]> {
  checkUrl(url, policy);
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const literal = hostAddress(host);
  const resolve = policy.resolve ?? (policy.allowPrivate ? resolveOnThisMachine : resolveInDns());
  const addresses = literal.length > 0 ? literal : await resolve(host, signal);
  const isAllowed = ({ address }: HostAddress) =>
    isPublicAddress(address) || (policy.allowPrivate && isDevelopmentAddress(address));
  if (!addresses.every(isAllowed)) throw new TargetRefused(specialAddress);
  return addresses;
}

const dnsTimeoutMs = 3_000;

/**
 * Checks a target when it is configured. A name that does not resolve is accepted, since it may resolve later; each
 * connection is checked again.
 */
export async function checkTarget(url: URL, policy: TargetPolicy): Promise<void> {
  await allowedAddresses(url, policy, AbortSignal.timeout(dnsTimeoutMs));
}
