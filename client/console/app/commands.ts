/** The commands of the palette, with their keyboard shortcuts. */
import { endSession } from '../api/session.js';
import { address, linkTo, navigate } from '../lib/router.js';
import { chooseTheme, themes } from '../lib/theme.js';
import { tabs } from '../pages/agent/tabs.js';
import { helpIsOpen } from './open-dialogs.js';

export interface Command {
  title: string;
  /** One key, or two that are pressed one after the other. */
  keys?: string;
  run: () => void;
}

const go = (title: string, keys: string, path: string[]): Command => ({
  title,
  keys,
  run: () => {
    navigate(linkTo(path));
  },
});

/** On the page of an agent, its tabs are commands too. */
export function availableCommands(): Command[] {
  const [section, agent] = address.value.path;
  const tabCommands =
    section === 'agents' && agent !== undefined
      ? tabs.map(({ path, title, key }) =>
          go(`${title} of ${agent}`, `g ${key}`, ['agents', agent, path]),
        )
      : [];
  return [
    go('Go to agents', 'g a', ['agents']),
    go('Go to the overview', 'g o', ['overview']),
    ...tabCommands,
    go('Go to webhooks', 'g w', ['webhooks']),
    go('Go to keys', 'g k', ['keys']),
    ...themes.map((name) => ({
      title: `Theme: ${name}`,
      run: () => {
        chooseTheme(name);
      },
    })),
    {
      title: 'Keyboard shortcuts',
      keys: '?',
      run: () => {
        helpIsOpen.value = true;
      },
    },
    {
      title: 'Sign out',
      run: () => {
        endSession();
      },
    },
  ];
}
