/** The cells of the matrix: caller, call and target, with the expected and the actual response. */
import type { Answered, Call } from '../../helpers/service/api.js';
import type { Column } from './columns.js';
import type { Issued, Target } from './credential.js';
import { type Expected, expectedAnswer, isVisible } from './expected.js';
import { ann, type Resources, session, type MatrixFixture } from './fixture.js';

export interface Cell {
  column: Column;
  who: string;
  target: Target;
  issued: Issued;
  resources: Resources;
  call: Call;
  expected: Expected;
}

export type Answers = Map<Cell, Answered<unknown>>;

export function createCell(cell: Omit<Cell, 'call' | 'expected'>): Cell {
  const { column, issued, resources } = cell;
  const call = column.callAbout(resources.names);
  return {
    ...cell,
    call,
    expected: expectedAnswer(column.operation, call, issued.grant, resources),
  };
}

export function isToken({ issued: { grant } }: Cell): boolean {
  return grant !== 'none' && grant.user !== null;
}

/** Whether the call must not change data of the user who talked to the agent. Deleting the agent deletes all data. */
export function isAtAnotherUsersAgent({ issued: { grant }, column: { operation } }: Cell): boolean {
  const isOther = grant !== 'none' && grant.user !== null && grant.user !== ann;
  return isOther && operation.operationId !== 'deleteAgent';
}

/** Whether the call names the agent, and not the whole account. */
export function isAboutAgent({ resources, call }: Cell): boolean {
  const said = JSON.stringify(call);
  return Object.values(resources.names).some((name) => name !== session && said.includes(name));
}

let addresses = 0;

/** Makes the call, each time from a different claimed address. */
export async function send({ service }: MatrixFixture, cell: Cell): Promise<Answered<unknown>> {
  const { column, issued, call } = cell;
  addresses += 1;
  const address = `10.${addresses >> 16}.${(addresses >> 8) & 255}.${addresses & 255}`;
  const headers = { ...call.headers, 'x-forwarded-for': address };
  try {
    const api = service.api(issued.bearer);
    return await api.call(column.operation.operationId, { ...call, headers });
  } catch (cause) {
    throw new Error(line(cell, String(cause)), { cause });
  }
}

/** The problems of the response, one line each. */
export function problemsOf(
  fixture: MatrixFixture,
  cell: Cell,
  { status, body }: Answered<unknown>,
) {
  const { expected } = cell;
  const code = (body as { error?: { code: string } }).error?.code;
  const got = written(status, code);
  const wanted = written(expected.status, expected.code);
  return [
    ...(got === wanted ? [] : [line(cell, `expected ${wanted}, got ${got}`)]),
    ...hiddenFrom(fixture, cell)
      .filter((mark) => JSON.stringify(body).includes(mark))
      .map((mark) => line(cell, `the answer shows ${mark}`)),
  ];
}

/** Hidden resources that can be distinguished from missing ones, one line each. */
export function differencesIn(answers: Answers): string[] {
  const hidden = [...answers].filter(([{ expected }]) => expected.code === 'not_found');
  return hidden.flatMap(([cell, answer]) => {
    const nothing = hidden.find(
      ([other]) => other.column === cell.column && other.target === 'a missing resource',
    );
    const isAlike = !nothing || anonymous(cell, answer) === anonymous(...nothing);
    return isAlike ? [] : [line(cell, 'can be told from what does not exist')];
  });
}

/** The response without the names that the caller knew before. */
function anonymous({ resources }: Cell, { body }: Answered<unknown>): string {
  return Object.entries(resources.names).reduce(
    (text, [name, value]) => text.replaceAll(value, `{${name}}`),
    JSON.stringify(body),
  );
}

export function line({ column, who, target }: Cell, problem: string): string {
  return `${column.name} × ${who} × ${target}: ${problem}`;
}

const written = (status: number, code?: string) => [status, code].filter(Boolean).join(' ');

/** Strings that the response must not contain, except those in the call itself. */
function hiddenFrom(
  fixture: MatrixFixture,
  { issued: { grant }, resources, call, expected }: Cell,
): string[] {
  const all = [resources, ...Object.values(fixture.resources), fixture.wholeAccount];
  const hidden = all.flatMap((other) => {
    if (grant === 'none' || expected.status >= 400) {
      return [...other.confidential, ...other.personal];
    }
    if (!isVisible(grant, other) || other.isClosed) return other.confidential;
    return grant.user === null || grant.user === ann ? [] : other.personal;
  });
  const said = JSON.stringify(call);
  return [...new Set(hidden)].filter((mark) => !said.includes(mark));
}

/** Runs the work for each item, several at a time. */
export async function forEachConcurrently<Item>(
  items: readonly Item[],
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const left = items.values();
  const workers = Array.from({ length: 8 }, async () => {
    for (const item of left) await work(item);
  });
  await Promise.all(workers);
}
