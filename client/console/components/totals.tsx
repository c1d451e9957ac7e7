/** Totals above a table or a chart. */
import type { ComponentChildren } from 'preact';

export function Totals({ children }: { children: ComponentChildren }) {
  return <dl class="totals">{children}</dl>;
}

interface TotalProps {
  name: string;
  value: string;
  note?: string | undefined;
}

export function Total({ name, value, note }: TotalProps) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        {value}
        {note !== undefined && <small class="muted">{note}</small>}
      </dd>
    </div>
  );
}
