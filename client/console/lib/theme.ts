/** The theme: light, dark, or the setting of the system. */
import { computed, effect, signal } from '@preact/signals';
import { stored } from './storage.js';

export const themes = ['system', 'light', 'dark'] as const;
export type Theme = (typeof themes)[number];

const choice = stored('localStorage', 'theme');
const systemIsDark = window.matchMedia('(prefers-color-scheme: dark)');
const systemTheme = signal(systemIsDark.matches);

export const theme = signal<Theme>(themes.find((name) => name === choice.read()) ?? 'system');

/** Whether the dark theme is shown; charts are redrawn when it changes. */
export const isDark = computed(() =>
  theme.value === 'system' ? systemTheme.value : theme.value === 'dark',
);

export function applyTheme(): void {
  systemIsDark.addEventListener('change', ({ matches }) => {
    systemTheme.value = matches;
  });
  effect(() => {
    if (theme.value === 'system') delete document.documentElement.dataset['theme'];
    else document.documentElement.dataset['theme'] = theme.value;
  });
}

export function chooseTheme(next: Theme): void {
  theme.value = next;
  choice.write(next === 'system' ? undefined : next);
}
