/** Short messages that go by themselves; screen readers read them out. */
import { signal } from '@preact/signals';

interface Toast {
  id: number;
  text: string;
}

const toasts = signal<Toast[]>([]);
const shownMs = 5_000;
let made = 0;

export function notify(text: string): void {
  const toast = { id: (made += 1), text };
  toasts.value = [...toasts.peek().slice(-2), toast];
  setTimeout(() => {
    toasts.value = toasts.peek().filter(({ id }) => id !== toast.id);
  }, shownMs);
}

export function Toasts() {
  return (
    <div class="toasts" role="status">
      {toasts.value.map(({ id, text }) => (
        <div class="toast" key={id}>
          {text}
        </div>
      ))}
    </div>
  );
}
