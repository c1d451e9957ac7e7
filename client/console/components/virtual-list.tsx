/** A list of any length: only the visible rows are in the document. One row is selected, by mouse or keyboard. */
import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { maxVisibleRows, visibleRows } from '../lib/virtual-rows.js';

interface VirtualListProps<Item> {
  label: string;
  items: readonly Item[];
  idOf: (item: Item) => string;
  render: (item: Item) => ComponentChildren;
  chosen: string | undefined;
  onChoose: (id: string) => void;
  /** Called when the last rows become visible. */
  onNearEnd: () => void;
}

export const rowHeight = 32;
const nearEndRows = 60;

export function VirtualList<Item>(props: VirtualListProps<Item>) {
  const { label, items, idOf, render, chosen, onChoose, onNearEnd } = props;
  const { box, scrollTop, height } = useScrollPosition();
  const { first, end } = visibleRows(items.length, rowHeight, scrollTop, height);
  const pool = maxVisibleRows(rowHeight, height);
  const chosenIndex = chosen === undefined ? -1 : items.findIndex((item) => idOf(item) === chosen);
  useEffect(() => {
    if (end > items.length - nearEndRows) onNearEnd();
  }, [end, items.length]);
  useStableRows(box, items, idOf);
  const choose = (index: number) => {
    const item = items[Math.max(0, Math.min(items.length - 1, index))];
    if (item === undefined) return;
    onChoose(idOf(item));
    scrollToRow(box.current, Math.max(0, Math.min(items.length - 1, index)));
  };
  const onKey = (event: KeyboardEvent) => {
    const page = Math.floor(height / rowHeight) - 1;
    const steps: Record<string, number> = {
      ArrowDown: chosenIndex + 1,
      ArrowUp: chosenIndex - 1,
      PageDown: chosenIndex + page,
      PageUp: chosenIndex - page,
      Home: 0,
      End: items.length - 1,
    };
    const index = steps[event.key];
    if (index === undefined) return;
    event.preventDefault();
    choose(index);
  };
  return (
    <div
      ref={box}
      class="virtual-list"
      role="listbox"
      aria-label={label}
      tabIndex={0}
      aria-activedescendant={chosenIndex < 0 ? undefined : `row-${chosenIndex}`}
      onKeyDown={onKey}
    >
      <div role="presentation" style={{ height: `${items.length * rowHeight}px` }}>
        <div role="presentation" style={{ transform: `translateY(${first * rowHeight}px)` }}>
          {items.slice(first, end).map((item, offset) => (
            <div
              // Rows that scroll out of view pass their elements on to new rows.
              key={(first + offset) % pool}
              id={`row-${first + offset}`}
              class="row"
              role="option"
              aria-selected={first + offset === chosenIndex}
              aria-setsize={items.length}
              aria-posinset={first + offset + 1}
              onClick={() => {
                onChoose(idOf(item));
              }}
            >
              {render(item)}
            </div>
          ))}
        </div>
      </div>
    </div>
  );
}

function useScrollPosition() {
  const box = useRef<HTMLDivElement>(null);
  const [position, setPosition] = useState({ scrollTop: 0, height: 600 });
  useEffect(() => {
    const element = box.current;
    if (!element) return undefined;
    let frame: number | undefined;
    const read = () => {
      frame = undefined;
      setPosition({ scrollTop: element.scrollTop, height: element.clientHeight });
    };
    const readSoon = () => {
      frame ??= requestAnimationFrame(read);
    };
    const observer = new ResizeObserver(readSoon);
    observer.observe(element);
    element.addEventListener('scroll', readSoon, { passive: true });
    return () => {
      if (frame !== undefined) cancelAnimationFrame(frame);
      observer.disconnect();
      element.removeEventListener('scroll', readSoon);
    };
  }, []);
  return { box, ...position };
}

/** Keeps the visible rows in place when rows are added above them. */
function useStableRows<Item>(
  box: { current: HTMLDivElement | null },
  items: readonly Item[],
  idOf: (item: Item) => string,
): void {
  const previous = useRef(items);
  useLayoutEffect(() => {
    const element = box.current;
    const [before] = previous.current;
    previous.current = items;
    if (!element || before === undefined || element.scrollTop < rowHeight) return;
    const added = items.findIndex((item) => idOf(item) === idOf(before));
    if (added > 0) element.scrollTop += added * rowHeight;
  }, [items]);
}

function scrollToRow(element: HTMLElement | null, index: number): void {
  if (!element) return;
  const top = index * rowHeight;
  const bottom = top + rowHeight - element.clientHeight;
  element.scrollTop = Math.min(top, Math.max(bottom, element.scrollTop));
}
