/** The tables of a profile, all in microseconds for each request. */
import { connections } from '../lib/loads.js';
import type { Measured } from '../lib/measure.js';
import { figure, type Table } from '../lib/table.js';
import type { ProfileSummary, TimeSpent } from './cpu-profile.js';
import { shortStatement, type StatementStatistics } from './statements.js';

export interface Profiled extends Measured {
  subject: string;
  summary: ProfileSummary;
  statements: StatementStatistics[];
}

const maxRows = { functions: 40, folders: 25, statements: 20 };

export function overview(profiled: Profiled): Table {
  const { subject, requests, perSecond, p50, p99, nodeCpu, databaseCpu } = profiled;
  return {
    title: `Profile of ${subject}`,
    note: `${requests} requests over ${connections} connections; profiling and counting cost time themselves`,
    columns: ['a second', 'p50 ms', 'p99 ms', 'Node µs', 'PostgreSQL µs'],
    rows: [
      {
        title: subject,
        figures: [
          figure(perSecond, 0),
          figure(p50, 1),
          figure(p99, 1),
          figure(nodeCpu, 0),
          figure(databaseCpu, 0),
        ],
      },
    ],
  };
}

export function nodeTables({ summary, requests }: Profiled): Table[] {
  const { busy, folders, functions } = summary;
  const table = (title: string, spent: readonly TimeSpent[], count: number): Table => ({
    title,
    note: 'samples of the main thread while it was not idle; microseconds for each request',
    columns: ['self µs', 'self %', 'with callees µs'],
    rows: spent.slice(0, count).map(({ title: name, self, total }) => ({
      title: name,
      figures: [
        figure(self / requests, 1),
        figure((self / busy) * 100, 1),
        figure(total / requests, 1),
      ],
    })),
  });
  return [
    table('Node by package and folder', folders, maxRows.folders),
    table('Node by function', functions, maxRows.functions),
  ];
}

export function statementTable({ statements, requests }: Profiled): Table {
  return {
    title: 'PostgreSQL by statement',
    note: 'elapsed time by pg_stat_statements, waits for locks included, the commit at the end of a statement not; for each request',
    columns: ['calls', 'plan µs', 'execute µs', 'rows', 'WAL bytes'],
    rows: statements.slice(0, maxRows.statements).map((statement) => {
      const { query, calls, planned, executed, rows, walBytes } = statement;
      return {
        title: shortStatement(query),
        figures: [
          figure(calls / requests, 3),
          figure(planned / requests, 1),
          figure(executed / requests, 1),
          figure(rows / requests, 2),
          figure(walBytes / requests, 0),
        ],
      };
    }),
  };
}
