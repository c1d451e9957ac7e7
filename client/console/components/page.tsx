/** The layout of a page: its title, which gets the focus when the page opens, its actions and its content. */
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

interface PageProps {
  title: string;
  /** Beside the title. */
  note?: ComponentChildren;
  actions?: ComponentChildren;
  children: ComponentChildren;
}

export function Page({ title, note, actions, children }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · Console`;
    // Screen readers announce the title, and Tab continues from there.
    if (
      document.activeElement === document.body ||
      document.activeElement instanceof HTMLAnchorElement
    )
      heading.current?.focus({ preventScroll: true });
  }, [title]);
  return (
    <section class="page">
      <header class="page-header">
        <h1 ref={heading} tabIndex={-1}>
          {title}
        </h1>
        {note}
        {actions !== undefined && <div class="actions end">{actions}</div>}
      </header>
      {children}
    </section>
  );
}
