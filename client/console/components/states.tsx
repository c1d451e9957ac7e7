/** Shown instead of data: while it is loading, if there is none, and if the key has no access. */
import type { ComponentChildren } from 'preact';
import type { Permission } from '../../src/index.js';
import { missingPermission } from '../api/permissions.js';
import { Icon } from './icon.js';

export function Skeleton({ rows = 4 }: { rows?: number }) {
  return (
    <div class="skeleton" role="status">
      <span class="hidden">Loading</span>
      {Array.from({ length: rows }, (_, index) => (
        <div class="placeholder" key={index} />
      ))}
    </div>
  );
}

export function Empty({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <h2>{title}</h2>
      <div class="muted">{children}</div>
    </div>
  );
}

export function NotAllowed({ permission, what }: { permission: Permission; what: string }) {
  return (
    <div class="empty">
      <Icon name="lock" />
      <h2>This key may not {what}</h2>
      <p class="muted">
        {missingPermission(permission)} Sign in with a key that has it, or ask an administrator for
        one.
      </p>
    </div>
  );
}
