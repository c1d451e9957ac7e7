/** Asks for a one-time code if the agent requires one, and repeats the call with it. */
import { signal } from '@preact/signals';
import { useState } from 'preact/hooks';
import { ForbiddenError } from '../../src/index.js';
import { Button } from './button.js';
import { Dialog } from './dialog.js';
import { Field } from './field.js';

interface PendingPrompt {
  /** The code is undefined if the dialog was closed. */
  answer: (code: string | undefined) => void;
  isRepeated: boolean;
}

const pending = signal<PendingPrompt | undefined>(undefined);

/** Rejects with the original error if the dialog is closed. */
export async function withOneTimeCode<Result>(
  call: (options: { mfaCode?: string }) => PromiseLike<Result>,
): Promise<Result> {
  for (let code: string | undefined; ;) {
    try {
      return await call(code === undefined ? {} : { mfaCode: code });
    } catch (error) {
      if (!(error instanceof ForbiddenError) || !error.message.includes('X-MFA-Code')) throw error;
      const next = await ask(code !== undefined);
      if (next === undefined) throw error;
      code = next;
    }
  }
}

function ask(isRepeated: boolean): Promise<string | undefined> {
  return new Promise((resolve) => {
    pending.value = {
      isRepeated,
      answer: (code) => {
        pending.value = undefined;
        resolve(code);
      },
    };
  });
}

export function OneTimeCodeDialog() {
  return pending.value ? <CodeForm {...pending.value} /> : null;
}

function CodeForm({ isRepeated, answer }: PendingPrompt) {
  const [code, setCode] = useState('');
  return (
    <Dialog
      title="One-time code"
      onClose={() => {
        answer(undefined);
      }}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (/^\d{6}$/.test(code)) answer(code);
        }}
      >
        <Field
          label="Six digits from the agent’s authenticator"
          hint={
            isRepeated
              ? 'That code was not accepted. Each code works only once: wait for the next one.'
              : 'The security settings of this agent require a code for this action.'
          }
        >
          {(attributes) => (
            <input
              {...attributes}
              class="input code"
              inputMode="numeric"
              autocomplete="one-time-code"
              maxLength={6}
              value={code}
              onInput={({ currentTarget }) => {
                setCode(currentTarget.value);
              }}
            />
          )}
        </Field>
        <footer class="actions end">
          <Button type="submit" kind="primary" isDisabled={!/^\d{6}$/.test(code)}>
            Continue
          </Button>
        </footer>
      </form>
    </Dialog>
  );
}
