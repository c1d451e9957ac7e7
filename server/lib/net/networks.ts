/** Sets of IP addresses and CIDR ranges, for trusted proxies and allow-lists. */
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;

interface Range {
  first: Address;
  prefix: number;
}

export interface Networks {
  /** False for a text that is not an address. */
  includes: (address: string | undefined) => boolean;
}

/** Throws a RangeError that names the first text that is neither an address nor a range. */
export function createNetworks(texts: readonly string[]): Networks {
  const ranges = texts.map((text) => {
    const range = parseRange(text);
    if (!range) throw new RangeError(`'${text}' is neither an address nor a range of addresses`);
    return range;
  });
  return {
    includes: (text) => {
      // Avoids parsing the address if there are no ranges, which is the common case.
      if (text === undefined || ranges.length === 0) return false;
      const address = parseAddress(text);
      return address !== undefined && ranges.some((range) => isWithin(address, range));
    },
  };
}

/** An address, or a range of addresses such as 10.0.0.0/8. */
export function isNetwork(text: string): boolean {
  return parseRange(text) !== undefined;
}

/** Converts IPv4-mapped IPv6 addresses, as a dual-stack socket reports them, to IPv4. */
function parseAddress(text: string): Address | undefined {
  return isPlainAddress(text) ? ipaddr.process(text) : undefined;
}

/**
 * Excludes addresses with a zone, which are link-local, and the deprecated form `::10.0.0.1`, which the parser
 * mistakes for the IPv4 address.
 */
function isPlainAddress(text: string): boolean {
  return isIP(text) !== 0 && !/%|^::\d+\./.test(text);
}

const mappedPrefix = 96;

function parseRange(text: string): Range | undefined {
  const [start = '', length, ...rest] = text.split('/');
  if (!isPlainAddress(start) || rest.length > 0) return undefined;
  const address = ipaddr.parse(start);
  const bits = address.kind() === 'ipv4' ? 32 : 128;
  const prefix = length === undefined ? bits : /^\d{1,3}$/.test(length) ? Number(length) : NaN;
  if (!(prefix <= bits)) return undefined;
  const isMapped =
    address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress() && prefix >= mappedPrefix;
  return isMapped
    ? { first: address.toIPv4Address(), prefix: prefix - mappedPrefix }
    : { first: address, prefix };
}

function isWithin(address: Address, { first, prefix }: Range): boolean {
  return address.kind() === first.kind() && address.match(first, prefix);
}
