/**
 * Verifies that a client's certificate chains to an agent's authority. TLS cannot do that: which agent a request is
 * for, and so which authority applies, is known only after the handshake. The handshake has proven that the client
 * holds the private key; everything else is checked here.
 *
 * Node checks names, signatures and what may sign, but no chain. PKI.js does not replace this: its engine ignores path lengths,
 * extended key usages, weak signatures and the leaf's critical extensions, and never returns if two authorities certify each other.
 */
import type { X509Certificate } from 'node:crypto';
import { AsnConvert } from '@peculiar/asn1-schema';
import {
  anyExtendedKeyUsage,
  BasicConstraints,
  Certificate,
  ExtendedKeyUsage,
  id_ce_basicConstraints,
  id_ce_extKeyUsage,
  id_ce_keyUsage,
  id_ce_nameConstraints,
  id_ce_subjectAltName,
  id_kp_clientAuth,
  KeyUsage,
  type KeyUsageType,
} from '@peculiar/asn1-x509';
import { LRUCache } from 'lru-cache';

export interface ClientAuthority {
  /** Why the chain, leaf first, is rejected; undefined if it is accepted. */
  problemWith: (chain: readonly X509Certificate[], now: Date) => string | undefined;
}

const maxAccepted = 1_000;
const acceptedMs = 900;
const maxIntermediates = 8;
const minRsaBits = 2048;

/** The extensions that are evaluated here. Any other critical extension must be rejected (RFC 5280). */
const supportedExtensions: ReadonlySet<string> = new Set([
  id_ce_keyUsage,
  id_ce_subjectAltName,
  id_ce_basicConstraints,
  id_ce_extKeyUsage,
]);

/** Signatures with MD2, MD5 and SHA-1, which can be forged. */
const weakSignatures: ReadonlySet<string> = new Set([
  '1.2.840.113549.1.1.2',
  '1.2.840.113549.1.1.4',
  '1.2.840.113549.1.1.5',
  '1.3.14.3.2.29',
  '1.2.840.10040.4.3',
  '1.2.840.10045.4.1',
]);

export function createClientAuthority(anchors: readonly X509Certificate[]): ClientAuthority {
  // Forgotten within a second, since an authority in the chain may expire.
  const accepted = new LRUCache<string, true>({ max: maxAccepted, ttl: acceptedMs });
  return {
    problemWith: ([leaf, ...intermediates], now) => {
      if (!leaf) return 'none was sent';
      if (accepted.has(leaf.fingerprint256) && isValidAt(leaf, now)) return undefined;
      const problem = findProblem(leaf, intermediates, anchors, now);
      if (problem === undefined) accepted.set(leaf.fingerprint256, true);
      return problem;
    },
  };
}

function findProblem(
  leaf: X509Certificate,
  intermediates: readonly X509Certificate[],
  anchors: readonly X509Certificate[],
  now: Date,
): string | undefined {
  if (!isValidAt(leaf, now)) return 'it has expired or is not valid yet';
  try {
    return chainsToAnchor(leaf, intermediates, anchors, now)
      ? findLeafProblem(leaf)
      : "it does not chain to this agent's authority";
  } catch {
    // A certificate may be malformed in any way.
    return 'it cannot be read';
  }
}

function findLeafProblem(leaf: X509Certificate): string | undefined {
  const details = parseDetails(leaf);
  const isForClients = allowsUsage(details, [id_kp_clientAuth]) && allowsAuthentication(details);
  if (!isForClients) return 'it is not meant for client authentication';
  if (hasWeakKey(leaf) || hasWeakSignature(details)) return 'its key or signature is too weak';
  return hasSupportedExtensions(details)
    ? undefined
    : 'it has a critical extension that is not understood';
}

function chainsToAnchor(
  leaf: X509Certificate,
  intermediates: readonly X509Certificate[],
  anchors: readonly X509Certificate[],
  now: Date,
): boolean {
  const isTrusted = ({ fingerprint256 }: X509Certificate) =>
    anchors.some((anchor) => anchor.fingerprint256 === fingerprint256);
  const authorities = signedAuthorities(intermediates, anchors, now);
  // Each authority is tried once, so that authorities that sign one another cannot make the search exponential.
  const tried = new Set<X509Certificate>();

  const chains = (certificate: X509Certificate, authoritiesBelow: number): boolean =>
    isTrusted(certificate) ||
    authorities.some((issuer) => {
      if (tried.has(issuer) || !isSignedBy(certificate, issuer)) return false;
      tried.add(issuer);
      return (
        mayIssue(issuer, authoritiesBelow, isTrusted(issuer)) &&
        chains(issuer, authoritiesBelow + 1)
      );
    });
  return chains(leaf, 0);
}

/**
 * The anchors, and the intermediates whose signatures lead to one of them. Only these are parsed further, since parsing an untrusted
 * certificate could be made to take long.
 */
function signedAuthorities(
  intermediates: readonly X509Certificate[],
  anchors: readonly X509Certificate[],
  now: Date,
): X509Certificate[] {
  const isUsable = (authority: X509Certificate) =>
    authority.ca && isValidAt(authority, now) && !hasWeakKey(authority);
  const signed = anchors.filter(isUsable);
  let others = intermediates.slice(0, maxIntermediates).filter(isUsable);
  // `signed` grows during the iteration.
  for (const issuer of signed) {
    const issued = others.filter((authority) => isSignedBy(authority, issuer));
    signed.push(...issued);
    others = others.filter((authority) => !issued.includes(authority));
  }
  return signed;
}

function isSignedBy(certificate: X509Certificate, issuer: X509Certificate): boolean {
  return certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey);
}

function mayIssue(issuer: X509Certificate, authoritiesBelow: number, isAnchor: boolean): boolean {
  const details = parseDetails(issuer);
  return (
    details.pathLength >= authoritiesBelow &&
    hasSupportedExtensions(details) &&
    allowsUsage(details, [id_kp_clientAuth, anyExtendedKeyUsage]) &&
    // The signature of a trust anchor does not matter, since its trust comes from the configuration.
    (isAnchor || !hasWeakSignature(details))
  );
}

function hasWeakKey({ publicKey }: X509Certificate): boolean {
  const { modulusLength = minRsaBits } = publicKey.asymmetricKeyDetails ?? {};
  return modulusLength < minRsaBits;
}

function hasWeakSignature({ signatureAlgorithm }: CertificateDetails): boolean {
  return weakSignatures.has(signatureAlgorithm);
}

function hasSupportedExtensions({ extensions }: CertificateDetails): boolean {
  // Name constraints are not evaluated, so a certificate that has them is rejected, critical or not.
  return [...extensions].every(
    ([id, isCritical]) =>
      supportedExtensions.has(id) || (!isCritical && id !== id_ce_nameConstraints),
  );
}

function isValidAt({ validFrom, validTo }: X509Certificate, now: Date): boolean {
  return Date.parse(validFrom) <= now.getTime() && now.getTime() <= Date.parse(validTo);
}

function allowsUsage(
  { extendedKeyUsages }: CertificateDetails,
  usages: readonly string[],
): boolean {
  return extendedKeyUsages?.some((usage) => usages.includes(usage)) ?? true;
}

function allowsAuthentication({ keyUsages }: CertificateDetails): boolean {
  return (
    keyUsages?.some((usage) => usage === 'digitalSignature' || usage === 'keyAgreement') ?? true
  );
}

/** The parts of a certificate that Node does not expose. */
interface CertificateDetails {
  /** As an object identifier. */
  signatureAlgorithm: string;
  /** Maps the object identifier of each extension to whether it is critical. */
  extensions: ReadonlyMap<string, boolean>;
  /** How many intermediate authorities may follow this one; Infinity if it has no constraint. */
  pathLength: number;
  /** Undefined if the extension is missing, which allows every usage. */
  keyUsages: KeyUsageType[] | undefined;
  /** As object identifiers; undefined if the extension is missing, which allows every usage. */
  extendedKeyUsages: string[] | undefined;
}

/** Throws if the certificate is malformed. */
function parseDetails({ raw }: X509Certificate): CertificateDetails {
  const { tbsCertificate, signatureAlgorithm } = AsnConvert.parse(raw, Certificate);
  const extensions = [...(tbsCertificate.extensions ?? [])];
  const values = new Map(extensions.map(({ extnID, extnValue }) => [extnID, extnValue]));
  // RFC 5280 allows each extension once; implementations would differ in which of two they apply.
  if (values.size < extensions.length) throw new Error('An extension occurs twice.');
  const parse = <Value>(id: string, type: new () => Value): Value | undefined => {
    const value = values.get(id);
    return value && AsnConvert.parse(value, type);
  };
  const extendedKeyUsages = parse(id_ce_extKeyUsage, ExtendedKeyUsage);
  return {
    signatureAlgorithm: signatureAlgorithm.algorithm,
    extensions: new Map(extensions.map(({ extnID, critical }) => [extnID, critical])),
    pathLength: parse(id_ce_basicConstraints, BasicConstraints)?.pathLenConstraint ?? Infinity,
    keyUsages: parse(id_ce_keyUsage, KeyUsage)?.toJSON(),
    extendedKeyUsages: extendedKeyUsages && [...extendedKeyUsages],
  };
}
