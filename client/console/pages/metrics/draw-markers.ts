/** Marks on the time axis: deployments, and buckets with errors. */
import type uPlot from 'uplot';
import type { DeploymentMark } from './marks.js';
import type { ThemeColors } from './theme-colors.js';

export interface Markers {
  deployments: DeploymentMark[];
  /** In seconds. */
  errors: number[];
}

export function drawMarkers(
  chart: uPlot,
  { deployments, errors }: Markers,
  colors: ThemeColors,
): void {
  const { ctx, bbox } = chart;
  const scale = window.devicePixelRatio;
  const bottom = bbox.top + bbox.height;
  const position = (seconds: number) => chart.valToPos(seconds, 'x', true);
  const isInside = (x: number) => x >= bbox.left && x <= bbox.left + bbox.width;
  ctx.save();
  ctx.fillStyle = colors.bad;
  for (const x of errors.map(position).filter(isInside)) {
    ctx.beginPath();
    ctx.moveTo(x, bottom - 7 * scale);
    ctx.lineTo(x - 4 * scale, bottom);
    ctx.lineTo(x + 4 * scale, bottom);
    ctx.fill();
  }
  ctx.strokeStyle = colors.text;
  ctx.fillStyle = colors.text;
  ctx.font = `${11 * scale}px system-ui, sans-serif`;
  ctx.textBaseline = 'bottom';
  ctx.textAlign = 'left';
  ctx.setLineDash([4 * scale, 3 * scale]);
  let freeUntil = Infinity;
  // The latest first, since it is the one in use.
  for (const { at, version } of deployments.toReversed()) {
    const x = position(at);
    if (!isInside(x)) continue;
    ctx.beginPath();
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x, bottom);
    ctx.stroke();
    // Labels that would overlap are left out.
    const width = ctx.measureText(version).width;
    const left = Math.min(x, bbox.left + bbox.width - width);
    if (left + width > freeUntil) continue;
    ctx.fillText(version, left, bbox.top - 2 * scale);
    freeUntil = left - 6 * scale;
  }
  ctx.restore();
}
