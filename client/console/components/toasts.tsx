/** A short message that disappears by itself; screen readers announce it. */
import { signal } from '@preact/signals';

interface Toast {
  text: string;
}

const toast = signal<Toast | undefined>(undefined);
const shownMs = 5_000;

/** Replaces the previous message, which may no longer be true. */
export function notify(text: string): void {
  const shown = { text };
  toast.value = shown;
  setTimeout(() => {
    if (toast.peek() === shown) toast.value = undefined;
  }, shownMs);
}

export function Toasts() {
  return (
    <div class="toasts" role="status">
      {toast.value && <div class="toast">{toast.value.text}</div>}
    </div>
  );
}
