/** A button. If the key may not do what it does, it says so instead of failing after the click. */
import type { ComponentChildren } from 'preact';
import type { Permission } from '../../src/index.js';
import { may, missingPermission } from '../api/permissions.js';
import { Icon, type IconName } from './icon.js';

interface ButtonProps {
  children?: ComponentChildren;
  icon?: IconName;
  /** For buttons that show an icon alone. */
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
      // It keeps the focus and tells its reason, which a disabled one would not.
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
