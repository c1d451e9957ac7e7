/** Decides which addresses the service lets others send it to: by default none but public ones, over https. */
import ipaddr from 'ipaddr.js';
import { isWithin, type PortRange } from './port-range.js';
import {
  hostAddress,
  type HostAddress,
  type Resolve,
  resolveInDns,
  resolveOnThisMachine,
} from './resolve-host.js';

export interface TargetPolicy {
  /** For development: plain http, any port, and the loopback and private addresses. */
  allowPrivate: boolean;
  ports?: readonly PortRange[] | undefined;
  resolve?: Resolve | undefined;
}

/** The reason is fit for whoever named the target: it tells nothing about the network that the service stands in. */
export class TargetRefused extends Error {
  override readonly name = 'TargetRefused';
  readonly reason: string;

  constructor(reason: string) {
    super(`The target was refused: it ${reason}.`);
    this.reason = reason;
  }
}

/** 443, and every port that needs no privilege to listen on: the other ones belong to other protocols. */
export const usualPorts: readonly PortRange[] = [
  { first: 443, last: 443 },
  { first: 1024, last: 65_535 },
];

const specialAddress =
  'must not lead to a private, loopback, link-local or otherwise special address';

/** Addresses that look like any other, and at which clouds hand out credentials to the machines inside. */
const metadataServices = new Set(['168.63.129.16', 'fd00:ec2::254']);

const developmentRanges = new Set(['loopback', 'private', 'uniqueLocal']);

const globalUnicast6 = ipaddr.IPv6.parse('2000::');

/** The range decides, and what no range claims is public: so IPv6 must also lie where public addresses are given out. */
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
  // An address with a zone is one of this machine's own links.
  if (address.includes('%') || hostAddress(address).length === 0) return undefined;
  return ipaddr.parse(address);
}

/** Throws TargetRefused for what can be refused by the look of it, with no question to DNS. */
export function checkUrl(url: URL, { allowPrivate, ports = usualPorts }: TargetPolicy): void {
  const schemes = allowPrivate ? ['https:', 'http:'] : ['https:'];
  if (!schemes.includes(url.protocol)) throw new TargetRefused('must be https');
  if (url.username !== '' || url.password !== '') {
    throw new TargetRefused('must not hold a user name or a password');
  }
  if (url.hash !== '') throw new TargetRefused('must not have a fragment, which is never sent');
  const port = url.port === '' ? 443 : Number(url.port);
  if (!allowPrivate && !isWithin(ports, port)) {
    throw new TargetRefused(`must not use port ${port}`);
  }
  // These names mean this machine, whatever DNS says about them.
  if (!allowPrivate && /(^|\.)localhost\.?$/.test(url.hostname)) {
    throw new TargetRefused(specialAddress);
  }
}

/**
 * The addresses that may be connected to, every one of them checked; empty if the name has none. Throws TargetRefused
 * if any of them is not allowed: a name that points inside as well as outside is no accident.
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

const gracePeriodMs = 3_000;

/**
 * For when a target is named. A name that does not resolve now is let through, since it may tomorrow; the connection is
 * checked again either way.
 */
export async function checkTarget(url: URL, policy: TargetPolicy): Promise<void> {
  await allowedAddresses(url, policy, AbortSignal.timeout(gracePeriodMs));
}
