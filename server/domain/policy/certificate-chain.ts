/**
 * Decides whether a client's certificate chains to an agent's authority. The TLS of the server cannot: which agent a
 * request is for, and so which authority counts, is known only after the handshake. The handshake has proven that the
 * client has the certificate's key; everything else about it is decided here.
 */
import type { X509Certificate } from 'node:crypto';
import {
  type CertificateDetails,
  parseDetails,
  extensionId,
  allowsAuthentication,
  pathLengthConstraint,
  extendedKeyUsages,
} from './certificate.js';

export interface ClientAuthority {
  /** Why the chain, the client's own certificate first, is not accepted; undefined if it is. */
  problemWith: (chain: readonly X509Certificate[], now: Date) => string | undefined;
}

const maxIntermediates = 8;
const clientAuthentication = '1.3.6.1.5.5.7.3.2';
const anyUsage = '2.5.29.37.0';
const smallestRsaBits = 2048;

/** Extensions that are looked at here. A critical one that is not among them is reason to refuse, as RFC 5280 says. */
const understood: ReadonlySet<string> = new Set([
  extensionId.keyUsage,
  extensionId.alternativeNames,
  extensionId.basicConstraints,
  extensionId.extendedKeyUsage,
]);

/** Signatures over MD2, MD5 and SHA-1, which others than their maker can forge. */
const weakSignatures: ReadonlySet<string> = new Set([
  '1.2.840.113549.1.1.2',
  '1.2.840.113549.1.1.4',
  '1.2.840.113549.1.1.5',
  '1.3.14.3.2.29',
  '1.2.840.10040.4.3',
  '1.2.840.10045.4.1',
]);

export function createClientAuthority(anchors: readonly X509Certificate[]): ClientAuthority {
  // A path that was found holds as long as this object is kept, which is less than a second.
  const accepted = new Set<string>();
  return {
    problemWith: ([own, ...others], now) => {
      if (!own) return 'none was sent';
      if (accepted.has(own.fingerprint256)) return undefined;
      const problem = unlessUnreadable(
        () => problemWithOwn(own, now) ?? problemWithPath(own, others, anchors, now),
      );
      if (problem === undefined) accepted.add(own.fingerprint256);
      return problem;
    },
  };
}

/** A certificate is what a stranger wrote: what cannot be made sense of is refused like any other. */
function unlessUnreadable(find: () => string | undefined): string | undefined {
  try {
    return find();
  } catch {
    return 'it cannot be read';
  }
}

function problemWithOwn(own: X509Certificate, now: Date): string | undefined {
  if (!isValidAt(own, now)) return 'it has expired or is not valid yet';
  const details = parseDetails(own);
  const mayServe = serves(details, [clientAuthentication]) && allowsAuthentication(details);
  if (!mayServe) return 'it is not meant for client authentication';
  if (isWeak(own) || hasWeakSignature(details)) return 'its key or signature is too weak';
  return isUnderstood(details) ? undefined : 'it has a critical extension that is not understood';
}

function problemWithPath(
  own: X509Certificate,
  others: readonly X509Certificate[],
  anchors: readonly X509Certificate[],
  now: Date,
): string | undefined {
  const isTrusted = ({ fingerprint256 }: X509Certificate) =>
    anchors.some((anchor) => anchor.fingerprint256 === fingerprint256);
  const candidates = [...anchors, ...others.slice(0, maxIntermediates)].filter(
    (authority) => authority.ca && isValidAt(authority, now) && !isWeak(authority),
  );
  // Each is tried once: authorities that all vouch for one another must not cost more than others.
  const tried = new Set<X509Certificate>();

  const leadsToAnchor = (certificate: X509Certificate, authoritiesBelow: number): boolean =>
    isTrusted(certificate) ||
    candidates.some((issuer) => {
      if (tried.has(issuer) || !certificate.checkIssued(issuer)) return false;
      tried.add(issuer);
      return (
        certificate.verify(issuer.publicKey) &&
        mayStandAbove(issuer, authoritiesBelow, isTrusted(issuer)) &&
        leadsToAnchor(issuer, authoritiesBelow + 1)
      );
    });
  return leadsToAnchor(own, 0) ? undefined : "it does not chain to this agent's authority";
}

function mayStandAbove(issuer: X509Certificate, below: number, isAnchor: boolean): boolean {
  const details = parseDetails(issuer);
  return (
    pathLengthConstraint(details) >= below &&
    isUnderstood(details) &&
    serves(details, [clientAuthentication, anyUsage]) &&
    // An anchor is trusted for being listed, not for how it was signed.
    (isAnchor || !hasWeakSignature(details))
  );
}

function isWeak({ publicKey }: X509Certificate): boolean {
  const { modulusLength = smallestRsaBits } = publicKey.asymmetricKeyDetails ?? {};
  return modulusLength < smallestRsaBits;
}

function hasWeakSignature({ signatureAlgorithm }: CertificateDetails): boolean {
  return weakSignatures.has(signatureAlgorithm);
}

function isUnderstood({ extensions }: CertificateDetails): boolean {
  // Names are not constrained here, so whoever constrains them is refused, critical or not.
  return [...extensions].every(
    ([id, { isCritical }]) =>
      understood.has(id) || (!isCritical && id !== extensionId.nameConstraints),
  );
}

function isValidAt({ validFrom, validTo }: X509Certificate, now: Date): boolean {
  return Date.parse(validFrom) <= now.getTime() && now.getTime() <= Date.parse(validTo);
}

function serves(details: CertificateDetails, purposes: readonly string[]): boolean {
  return extendedKeyUsages(details)?.some((usage) => purposes.includes(usage)) ?? true;
}
