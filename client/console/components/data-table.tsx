/** A table; on a narrow screen each row is a card, and the roles keep it a table for screen readers. */
import type { ComponentChildren } from 'preact';

export interface Column<Item> {
  title: string;
  cell: (item: Item) => ComponentChildren;
  /** `name`: the header of the row; `actions`: buttons, without a visible title. */
  kind?: 'name' | 'actions';
}

interface DataTableProps<Item> {
  label: string;
  columns: Column<Item>[];
  items: readonly Item[];
  idOf: (item: Item) => string;
}

export function DataTable<Item>({ label, columns, items, idOf }: DataTableProps<Item>) {
  return (
    <div class="table-frame">
      <table class="table" role="table" aria-label={label}>
        <thead role="rowgroup">
          <tr role="row">
            {columns.map(({ title, kind }) => (
              <th key={title} scope="col" role="columnheader">
                <span class={kind === 'actions' ? 'hidden' : ''}>{title}</span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {items.map((item) => (
            <tr key={idOf(item)} role="row">
              {columns.map(({ title, kind, cell }) =>
                kind === 'name' ? (
                  <th key={title} scope="row" role="rowheader">
                    {cell(item)}
                  </th>
                ) : (
                  <td key={title} role="cell" class={kind} data-title={title}>
                    {cell(item)}
                  </td>
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
