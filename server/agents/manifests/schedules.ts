/** Checks the schedules of a manifest. */
import type { AgentManifest, Schedule } from '../../../generated/manifest.js';
import { isTimeZone, problemWithCron } from '../../lib/time/calendar.js';
import { callerToken, resolveReferences } from '../../models/tools/references.js';
import type { ManifestFinding } from './finding.js';

export function findingsInSchedules(manifest: AgentManifest): ManifestFinding[] {
  const { schedules = [] } = manifest;
  return [...findingsInSettings(schedules), ...findingsInContexts(manifest)];
}

function findingsInSettings(schedules: readonly Schedule[]): ManifestFinding[] {
  return schedules.flatMap(({ name, cron, timezone }, index) => {
    const isTaken = schedules.slice(0, index).some((earlier) => earlier.name === name);
    const problems = {
      name: isTaken ? `'${name}' is the name of a schedule above` : undefined,
      cron: problemWithCron(cron),
      timezone: isTimeZone(timezone)
        ? undefined
        : `'${timezone}' is not the name of a time zone, such as Europe/Paris`,
    };
    return Object.entries(problems).flatMap(([setting, message]) =>
      message === undefined
        ? []
        : [{ path: ['schedules', index, setting], message, isRefused: true }],
    );
  });
}

/** A schedule has no caller, and brings only its own context: without what the tools need, each of its runs would fail. */
function findingsInContexts({ schedules = [], tools }: AgentManifest): ManifestFinding[] {
  return schedules.flatMap(({ context = {} }, index) => {
    const known = Object.entries(context).map(([key, value]): [string, unknown] => [
      `context.${key}`,
      value,
    ]);
    const { problems } = resolveReferences(tools, {
      ...Object.fromEntries(known),
      'request.id': 'known when it runs',
      'agent.name': 'known when it runs',
    });
    return problems.map(({ reference, problem }) => ({
      path: ['schedules', index],
      message:
        reference === callerToken
          ? `has no caller, whose token tools need: ${reference} ${problem}`
          : `does not fit the tools: ${reference} ${problem}`,
      isRefused: true,
    }));
  });
}
