/** An authenticator application: reads an enrolment and generates the code for any time. */
import { codeOfStep, stepAt } from '../../../server/lib/crypto/totp.js';
import { eventually } from '../eventually.js';

export interface Authenticator {
  /** The current code, or that of a number of steps before or after. */
  code: (steps?: number) => string;
  /** A code that is not valid at any time near now. */
  wrongCode: () => string;
}

export function readEnrolment(uri: string): Authenticator {
  const secret = fromBase32(new URL(uri).searchParams.get('secret') ?? '');
  const code = (steps = 0) => codeOfStep(secret, stepAt(Date.now()) + steps);
  return {
    code,
    wrongCode: () => {
      const near = [-3, -2, -1, 0, 1, 2, 3].map(code);
      const candidates = Array.from({ length: 8 }, (_, index) => String(index).repeat(6));
      return candidates.find((candidate) => !near.includes(candidate)) ?? '';
    },
  };
}

/** Waits for the next code if the current one expires soon. */
export function waitForFreshCode(): Promise<void> {
  return eventually(() => {
    if (stepAt(Date.now() + 5_000) !== stepAt(Date.now()))
      throw new Error('The code expires soon.');
  });
}

function fromBase32(text: string): Buffer {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
  const bits = Array.from(text, (letter) => alphabet.indexOf(letter).toString(2).padStart(5, '0'));
  const bytes = bits.join('').match(/.{8}/g) ?? [];
  return Buffer.from(bytes.map((byte) => parseInt(byte, 2)));
}
