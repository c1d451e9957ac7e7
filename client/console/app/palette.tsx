/** The command palette: finds pages, agents and settings by a few letters. */
import { useLayoutEffect, useState } from 'preact/hooks';
import { useAgentNames } from '../components/agent-select.js';
import { Dialog } from '../components/dialog.js';
import { linkTo, navigate } from '../lib/router.js';
import { availableCommands, type Command } from './commands.js';
import { paletteIsOpen } from './open-dialogs.js';

const maxShown = 12;
const optionId = (index: number) => `palette-option-${index}`;

export function Palette() {
  const [query, setQuery] = useState('');
  const [chosen, setChosen] = useState(0);
  const [isAwaited, setAwaited] = useState(false);
  const { data: agents = [] } = useAgentNames();
  const agentCommands: Command[] = agents.map(({ name }) => ({
    title: `Agent ${name}`,
    run: () => {
      navigate(linkTo(['agents', name]));
    },
  }));
  const found = [...availableCommands(), ...agentCommands]
    .filter(({ title }) => matches(title, query))
    .slice(0, maxShown);
  const close = () => {
    paletteIsOpen.value = false;
  };
  const run = (command: Command | undefined) => {
    close();
    command?.run();
  };
  // If Enter was pressed before the agents were loaded, run the first match once there is one.
  useLayoutEffect(() => {
    if (isAwaited && found.length > 0) run(found[0]);
  });
  const enter = () => {
    if (found.length > 0) run(found[chosen]);
    else setAwaited(true);
  };
  const onKey = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === 'Enter') enter();
    else if (step !== undefined) setChosen((chosen + step + found.length) % (found.length || 1));
    else return;
    event.preventDefault();
  };
  return (
    <Dialog title="Go to" onClose={close}>
      <input
        class="input"
        role="combobox"
        aria-label="Page, agent or command"
        aria-expanded="true"
        aria-controls="palette-options"
        aria-activedescendant={found.length > 0 ? optionId(chosen) : undefined}
        autocomplete="off"
        placeholder="Page, agent or command"
        value={query}
        onKeyDown={onKey}
        onInput={({ currentTarget }) => {
          setQuery(currentTarget.value);
          setChosen(0);
          setAwaited(false);
        }}
      />
      <div class="palette" id="palette-options" role="listbox" aria-label="Matches">
        {found.map((command, index) => (
          <div
            key={command.title}
            id={optionId(index)}
            role="option"
            aria-selected={index === chosen}
            onClick={() => {
              run(command);
            }}
          >
            {command.title}
            {command.keys !== undefined && <kbd>{command.keys}</kbd>}
          </div>
        ))}
      </div>
      {found.length === 0 && <p class="muted">No matches.</p>}
    </Dialog>
  );
}

/** Whether the title has the letters in this order, not necessarily adjacent. */
function matches(title: string, query: string): boolean {
  let position = 0;
  const text = title.toLowerCase();
  const letters = Array.from(query.toLowerCase().replaceAll(' ', ''));
  return letters.every((letter) => {
    position = text.indexOf(letter, position) + 1;
    return position > 0;
  });
}
