/** Runs a fault while clients write, audits their writes, and adds a row to the report. */
import { tableOf as columns } from '../helpers/text/table.js';
import type { Fault } from './faults.js';
import { seeded } from '../helpers/text/random.js';
import type { Audit, Rig } from './rig.js';

export interface FaultResult extends Audit {
  fault: string;
  /** How long the fault itself made writing impossible. */
  downMs: number;
  /** The outage in ms for clients whose instance was stopped, and for all others. */
  outage: { ended: number; other: number };
  surprises: string[];
  ended: string[];
}

/** Random for each run; set it to repeat a run. */
export const seed = Number(process.env['FAULT_SEED'] ?? Math.floor(Math.random() * 2 ** 31));

export async function during(name: string, fault: Fault, rig: Rig): Promise<FaultResult> {
  const ledger = rig.open(seeded(seed));
  const downMs = await fault(rig, seeded(seed + 1));
  await ledger.close();
  const audit = await rig.audit(ledger);
  const { outage, surprises } = ledger;
  return { fault: name, downMs, ...audit, outage, surprises, ended: [...rig.ended] };
}

export function tableOf(results: readonly FaultResult[]): string {
  const rows = results.map(({ fault, downMs, acknowledged, lost, twice, outage }) => [
    fault,
    seconds(downMs),
    ...[acknowledged, lost.length, twice.length].map(String),
    seconds(outage.ended),
    seconds(outage.other),
  ]);
  const header = ['fault', 'lasted', 'acknowledged', 'lost', 'twice', 'outage', 'of other clients'];
  return `seed ${seed}\n${columns(header, rows)}`;
}

const seconds = (milliseconds: number) => `${(milliseconds / 1000).toFixed(1)} s`;
