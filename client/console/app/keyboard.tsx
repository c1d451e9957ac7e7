/** Keyboard shortcuts that work on every page, and the dialogs that they open. */
import { useLayoutEffect } from 'preact/hooks';
import { Dialog } from '../components/dialog.js';
import { availableCommands } from './commands.js';
import { helpIsOpen, paletteIsOpen } from './open-dialogs.js';
import { Palette } from './palette.js';

/** How long the first key of two is remembered. */
const sequenceMs = 1_500;

export function Keyboard() {
  // A layout effect, so that keys work as soon as the page is visible.
  useLayoutEffect(listenForKeys, []);
  return (
    <>
      {paletteIsOpen.value && <Palette />}
      {helpIsOpen.value && <Help />}
    </>
  );
}

function listenForKeys(): () => void {
  let first: { key: string; at: number } | undefined;
  const onKey = (event: KeyboardEvent) => {
    if ((event.ctrlKey || event.metaKey) && event.key === 'k') {
      event.preventDefault();
      paletteIsOpen.value = !paletteIsOpen.peek();
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
    if (document.querySelector('dialog[open]')) return;
    if (event.key === '/') {
      const search = document.querySelector<HTMLInputElement>('input[type=search]');
      if (search) event.preventDefault();
      search?.focus();
      search?.select();
      return;
    }
    const isSecond = first && event.timeStamp - first.at < sequenceMs;
    const keys = isSecond ? `${first?.key} ${event.key}` : event.key;
    first = isSecond ? undefined : { key: event.key, at: event.timeStamp };
    const command = availableCommands().find((candidate) => candidate.keys === keys);
    if (!command) return;
    event.preventDefault();
    first = undefined;
    command.run();
  };
  document.addEventListener('keydown', onKey);
  return () => {
    document.removeEventListener('keydown', onKey);
  };
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest('input, textarea, select') !== null;
}

function Help() {
  const shortcuts = [
    { title: 'Command palette', keys: 'Ctrl K' },
    { title: 'Search or filter on this page', keys: '/' },
    ...availableCommands().filter(({ keys }) => keys !== undefined),
  ];
  return (
    <Dialog
      title="Keyboard shortcuts"
      onClose={() => {
        helpIsOpen.value = false;
      }}
    >
      <dl class="shortcuts">
        {shortcuts.map(({ title, keys = '' }) => (
          <div key={title}>
            <dt>{title}</dt>
            <dd>
              {keys.split(' ').map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
