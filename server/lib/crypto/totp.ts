/** Time-based one-time passwords (RFC 6238) as authenticator apps generate them: SHA-1, six digits, 30 seconds. */
import { createHmac } from 'node:crypto';
import { equalInConstantTime } from './sealing.js';

export const totpSecretBytes = 20;

const stepSeconds = 30;
const digits = 6;

export function isWellFormedCode(code: string): boolean {
  return /^[0-9]{6}$/.test(code);
}

export function stepAt(milliseconds: number): number {
  return Math.floor(milliseconds / 1000 / stepSeconds);
}

export function codeOfStep(secret: Uint8Array, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const mac = createHmac('sha1', secret).update(counter).digest();
  const offset = (mac.at(-1) ?? 0) & 0x0f;
  const number = mac.readUInt32BE(offset) & 0x7fff_ffff;
  return String(number % 10 ** digits).padStart(digits, '0');
}

/** The time step of a valid code, or the latest one if it is valid for two. Clocks may differ by one step. */
export function matchingStep(secret: Uint8Array, code: string, nowMs: number): number | undefined {
  const current = stepAt(nowMs);
  const received = Buffer.from(code);
  return [current - 1, current, current + 1]
    .filter((step) => equalInConstantTime(Buffer.from(codeOfStep(secret, step)), received))
    .at(-1);
}

/** The otpauth:// URI that an authenticator app reads from a QR code. */
export function enrolmentUri(
  secret: Uint8Array,
  { issuer, account }: { issuer: string; account: string },
): string {
  const label = `${encodeURIComponent(issuer)}:${encodeURIComponent(account)}`;
  const parameters = Object.entries({
    secret: base32(secret),
    issuer: encodeURIComponent(issuer),
    algorithm: 'SHA1',
    digits,
    period: stepSeconds,
  }).map(([name, value]) => `${name}=${value}`);
  return `otpauth://totp/${label}?${parameters.join('&')}`;
}

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

function base32(bytes: Uint8Array): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  const groups = bits.match(/.{1,5}/g) ?? [];
  return groups.map((group) => alphabet[parseInt(group.padEnd(5, '0'), 2)]).join('');
}
