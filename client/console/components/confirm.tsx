/** Asks before what cannot be undone, naming the thing. */
import { signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { Button } from './button.js';
import { Dialog } from './dialog.js';
import { Field } from './field.js';

export interface Question {
  title: string;
  text: ComponentChildren;
  /** What the button says. */
  action: string;
  /** Has to be typed, for what would lose much. */
  typed?: string;
}

interface Asked extends Question {
  answer: (isConfirmed: boolean) => void;
}

const asked = signal<Asked | undefined>(undefined);

export function confirm(question: Question): Promise<boolean> {
  return new Promise((resolve) => {
    asked.value = {
      ...question,
      answer: (isConfirmed) => {
        asked.value = undefined;
        resolve(isConfirmed);
      },
    };
  });
}

export function ConfirmDialog() {
  return asked.value ? <Confirm key={asked.value.title} {...asked.value} /> : null;
}

function Confirm({ title, text, action, typed, answer }: Asked) {
  const [written, setWritten] = useState('');
  const isReady = typed === undefined || written === typed;
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
        {typed !== undefined && (
          <Field label={`Type ${typed} to confirm`}>
            {(attributes) => (
              <input
                {...attributes}
                class="input"
                autocomplete="off"
                value={written}
                onInput={({ currentTarget }) => {
                  setWritten(currentTarget.value);
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
