/** Checks the approvals of a manifest's tools. */
import type { AgentManifest } from '../../../generated/manifest.js';
import { parseDuration } from '../../lib/time/duration.js';
import type { ManifestFinding } from './finding.js';

const shortestApprovalMs = 60_000;
const longestApprovalMs = 7 * 24 * 3_600_000;

export function findingsInApprovals({ approvalTimeout, tools }: AgentManifest): ManifestFinding[] {
  const { mcp = [], http = [], agents = [] } = tools ?? {};
  const problem =
    approvalTimeout === undefined
      ? undefined
      : [...mcp, ...http, ...agents].some(({ approval }) => approval !== undefined)
        ? problemWithTimeout(approvalTimeout)
        : "needs a tool with 'approval'";
  return [
    ...(problem === undefined
      ? []
      : [{ path: ['approvalTimeout'], message: problem, isRefused: true }]),
    ...mcp.flatMap(({ allow, approval = {} }, index) =>
      Object.keys(approval)
        .filter((tool) => !allow.includes(tool))
        .map((tool) => ({
          path: ['tools', 'mcp', index, 'approval', tool],
          message: "is not in 'allow'",
          isRefused: true,
        })),
    ),
  ];
}

function problemWithTimeout(timeout: string): string | undefined {
  const timeoutMs = parseDuration(timeout) ?? 0;
  const fits = timeoutMs >= shortestApprovalMs && timeoutMs <= longestApprovalMs;
  return fits ? undefined : 'must be from 1m to 7d';
}
