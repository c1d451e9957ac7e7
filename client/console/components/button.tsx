/** A button. If the key lacks the permission for its action, it is disabled and says so. */
import type { ComponentChildren } from 'preact';
import type { Permission } from '../../src/index.js';
import { may, missingPermission } from '../api/permissions.js';
import { Icon, type IconName } from './icon.js';

interface ButtonProps {
  children?: ComponentChildren;
  icon?: IconName;
  /** For buttons that show only an icon. */
  label?: string;
  kind?: 'primary' | 'plain' | 'quiet' | 'danger';
  type?: 'button' | 'submit';
  needs?: Permission;
  isBusy?: boolean;
  isDisabled?: boolean;
  isPressed?: boolean;
  hint?: string;
  onClick?: () => void;
}

export function Button({
  children,
  icon,
  label,
  kind = 'plain',
  type = 'button',
  needs,
  isBusy = false,
  isDisabled = false,
  isPressed,
  hint,
  onClick,
}: ButtonProps) {
  const isAllowed = needs === undefined || may(needs);
  const reason = needs === undefined || isAllowed ? hint : missingPermission(needs);
  const isOff = !isAllowed || isBusy || isDisabled;
  return (
    <button
      type={type}
      class={`button ${kind}${children === undefined ? ' icon-only' : ''}`}
      // Unlike a disabled button, it keeps the focus and shows the reason.
      aria-disabled={isOff}
      aria-busy={isBusy}
      aria-pressed={isPressed}
      aria-label={isAllowed ? label : label && `${label}: ${reason}`}
      title={reason ?? label}
      onClick={(event) => {
        if (isOff) event.preventDefault();
        else onClick?.();
      }}
    >
      {isAllowed ? icon && <Icon name={icon} /> : <Icon name="lock" />}
      {children}
      {!isAllowed && children !== undefined && <span class="hidden">: {reason}</span>}
    </button>
  );
}
