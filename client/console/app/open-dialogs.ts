/** Which of the dialogs that belong to no page are open. */
import { signal } from '@preact/signals';

export const paletteIsOpen = signal(false);
export const helpIsOpen = signal(false);
