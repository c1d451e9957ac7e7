/** Checks the schedules of a manifest. */
import type { AgentManifest } from '../../../generated/manifest.js';
import { isTimeZone, problemWithCron } from '../../lib/time/calendar.js';
import type { ManifestFinding } from './finding.js';

export function findingsInSchedules({ schedules = [] }: AgentManifest): ManifestFinding[] {
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
