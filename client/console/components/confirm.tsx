/** Asks for confirmation before an action that cannot be undone. */
import { signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { Button } from './button.js';
import { Dialog } from './dialog.js';
import { Field } from './field.js';

export interface Question {
  title: string;
  text: ComponentChildren;
  /** The label of the button. */
  action: string;
  /** Must be typed to confirm the most destructive actions. */
  confirmationText?: string;
}

interface PendingQuestion extends Question {
  answer: (isConfirmed: boolean) => void;
}

const pending = signal<PendingQuestion | undefined>(undefined);

export function confirm(question: Question): Promise<boolean> {
  return new Promise((resolve) => {
    pending.value = {
      ...question,
      answer: (isConfirmed) => {
        pending.value = undefined;
        resolve(isConfirmed);
      },
    };
  });
}

export function ConfirmDialog() {
  return pending.value ? <Confirm key={pending.value.title} {...pending.value} /> : null;
}

function Confirm({ title, text, action, confirmationText, answer }: PendingQuestion) {
  const [typed, setTyped] = useState('');
  const isReady = confirmationText === undefined || typed === confirmationText;
  return (
    <Dialog
      title={title}
      onClose={() => {
        answer(false);
      }}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (isReady) answer(true);
        }}
      >
        <div class="dialog-text">{text}</div>
        {confirmationText !== undefined && (
          <Field label={`Type ${confirmationText} to confirm`}>
            {(attributes) => (
              <input
                {...attributes}
                class="input"
                autocomplete="off"
                value={typed}
                onInput={({ currentTarget }) => {
                  setTyped(currentTarget.value);
                }}
              />
            )}
          </Field>
        )}
        <footer class="actions end">
          <Button
            onClick={() => {
              answer(false);
            }}
          >
            Cancel
          </Button>
          <Button type="submit" kind="danger" isDisabled={!isReady}>
            {action}
          </Button>
        </footer>
      </form>
    </Dialog>
  );
}
