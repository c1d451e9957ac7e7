/** Sets of addresses, written as single ones and as CIDR ranges: whose word is believed, and who may call. */
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;

interface Range {
  first: Address;
  prefix: number;
}

export interface Networks {
  /** What is no address is in no network. */
  includes: (address: string | undefined) => boolean;
}

/** Throws a RangeError that names what is neither an address nor a range. */
export function createNetworks(texts: readonly string[]): Networks {
  const ranges = texts.map((text) => {
    const range = parseRange(text);
    if (!range) throw new RangeError(`'${text}' is neither an address nor a range of addresses`);
    return range;
  });
  return {
    includes: (text) => {
      const address = text === undefined ? undefined : parseAddress(text);
      return address !== undefined && ranges.some((range) => isWithin(address, range));
    },
  };
}

/** An address, or a range of addresses such as 10.0.0.0/8. */
export function isNetwork(text: string): boolean {
  return parseRange(text) !== undefined;
}

/** A socket that listens for both families reports IPv4 addresses as IPv6 ones; here they are IPv4 again. */
function parseAddress(text: string): Address | undefined {
  return isPlainAddress(text) ? ipaddr.process(text) : undefined;
}

/**
 * Neither with a zone, which makes it one of this machine's own links, nor in the form `::10.0.0.1`, which was given up
 * long ago and is taken for the IPv4 address by the parser.
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
