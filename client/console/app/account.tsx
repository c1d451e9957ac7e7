/** The key in use, the theme switch, and the sign-out button. */
import { granted, ownKey } from '../api/permissions.js';
import { endSession, session } from '../api/session.js';
import { Button } from '../components/button.js';
import type { IconName } from '../components/icon.js';
import { Text } from '../components/text.js';
import { chooseTheme, theme, themes, type Theme } from '../lib/theme.js';
import { helpIsOpen, paletteIsOpen } from './open-dialogs.js';

const icons: Record<Theme, IconName> = { system: 'system', light: 'sun', dark: 'moon' };

export function Account() {
  const next = themes[(themes.indexOf(theme.value) + 1) % themes.length] ?? 'system';
  const permissions = Object.entries(granted.value).flatMap(([name, isGranted]) =>
    isGranted ? name : [],
  );
  return (
    <div class="account">
      <div class="account-key" title={`Permissions: ${permissions.join(', ') || 'none'}`}>
        <span class="key-name">
          <Text>{ownKey.value?.name ?? 'API key'}</Text>
        </span>
        <code>ahs_…{session.value?.keyEnding}</code>
      </div>
      <div class="actions">
        <Button
          kind="quiet"
          icon="search"
          label="Command palette (Ctrl K)"
          onClick={() => {
            paletteIsOpen.value = true;
          }}
        />
        <Button
          kind="quiet"
          icon={icons[theme.value]}
          label={`Theme: ${theme.value}. Change to ${next}`}
          onClick={() => {
            chooseTheme(next);
          }}
        />
        <Button
          kind="quiet"
          label="Keyboard shortcuts"
          hint="Keyboard shortcuts (?)"
          onClick={() => {
            helpIsOpen.value = true;
          }}
        >
          ?
        </Button>
        <Button
          kind="quiet"
          icon="signOut"
          label="Sign out"
          onClick={() => {
            endSession();
          }}
        />
      </div>
    </div>
  );
}
