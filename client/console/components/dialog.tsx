/** A native dialog, which keeps the focus inside and closes with Escape unless told otherwise. */
import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import { Button } from './button.js';

interface DialogProps {
  title: string;
  children: ComponentChildren;
  onClose: () => void;
  isWide?: boolean;
  /** For content that is shown only once: Escape is easily pressed by mistake. */
  ignoresEscape?: boolean;
}

export function Dialog({
  title,
  children,
  onClose,
  isWide = false,
  ignoresEscape = false,
}: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  // A layout effect, so that the dialog receives keys as soon as it is visible.
  useLayoutEffect(() => {
    const opener = document.activeElement;
    element.current?.showModal();
    return () => {
      if (opener instanceof HTMLElement) opener.focus();
    };
  }, []);
  // Not the `cancel` event: browsers let a page prevent it only once.
  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (ignoresEscape && event.key === 'Escape') event.preventDefault();
    };
    document.addEventListener('keydown', onKey);
    return () => {
      document.removeEventListener('keydown', onKey);
    };
  }, [ignoresEscape]);
  return (
    <dialog
      ref={element}
      class={isWide ? 'dialog wide' : 'dialog'}
      aria-labelledby={titleId}
      onClose={onClose}
    >
      <h2 id={titleId}>{title}</h2>
      {children}
      {/* Last, so that the content gets the initial focus. */}
      <div class="dialog-close">
        <Button kind="quiet" icon="close" label="Close" onClick={onClose} />
      </div>
    </dialog>
  );
}
