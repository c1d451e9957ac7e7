/** Which of the global dialogs are open. */
import { signal } from '@preact/signals';

export const paletteIsOpen = signal(false);
export const helpIsOpen = signal(false);
