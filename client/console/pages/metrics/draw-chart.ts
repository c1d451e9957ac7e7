/** Draws a time series with uPlot. Loaded when the first chart is shown. */
import uPlot from 'uplot';
import { drawMarkers, type Markers } from './draw-markers.js';
import { themeColors } from './theme-colors.js';

export interface ChartData {
  /** In seconds. */
  times: number[];
  values: (number | null)[];
  start: number;
  end: number;
}

export interface ChartOptions extends Markers {
  kind: 'line' | 'bars';
  tone: 'good' | 'bad';
  format: (value: number) => string;
  /** Called with the bucket under the cursor, or null. */
  onCursor: (index: number | null) => void;
  /** In seconds. */
  onZoom: (start: number, end: number) => void;
}

export interface Chart {
  resize: (width: number) => void;
  destroy: () => void;
}

export type DrawChart = typeof drawChart;

const height = 180;
/** All charts of a page share their cursor. */
const cursor = { sync: { key: 'metrics' }, drag: { x: true, y: false, setScale: false } };
const axisFont = '12px system-ui, sans-serif';
const minAxisWidth = 64;
/** The ticks, and the gap between them and the labels. */
const labelMargin = 18;

export function drawChart(container: HTMLElement, data: ChartData, options: ChartOptions): Chart {
  const { kind, tone, format, onCursor, onZoom } = options;
  const colors = themeColors(container);
  const color = tone === 'bad' ? colors.bad : colors.accent;
  const axis = {
    stroke: colors.muted,
    grid: { stroke: colors.line, width: 1 },
    ticks: { stroke: colors.line, width: 1 },
    font: axisFont,
  };
  const bars = uPlot.paths.bars?.({ size: [0.8, 24, 1] });
  const chart = new uPlot(
    {
      width: container.clientWidth,
      height,
      legend: { show: false },
      cursor,
      // The last time label is centred below its tick, so half of it is outside the chart.
      padding: [16, 26, 0, 0],
      scales: {
        x: { range: () => [data.start, data.end] },
        y: { range: (_chart, _min, max) => [0, (max || 1) * 1.15] },
      },
      axes: [
        { ...axis, size: 34, values: timeLabels(data.end - data.start) },
        {
          ...axis,
          size: ({ ctx }, labels) => axisWidth(ctx, labels),
          values: (_chart, splits) => splits.map((value) => format(value)),
        },
      ],
      series: [
        {},
        {
          stroke: color,
          width: kind === 'line' ? 2 : 0,
          fill: kind === 'line' ? colors.transparent(color) : color,
          points: { show: kind === 'line', size: 4, fill: color, stroke: color },
          ...(kind === 'bars' && bars && { paths: bars }),
        },
      ],
      hooks: {
        draw: [
          (drawn) => {
            drawMarkers(drawn, options, colors);
          },
        ],
        setCursor: [
          ({ cursor: { idx } }) => {
            onCursor(idx ?? null);
          },
        ],
        setSelect: [
          (selected) => {
            const { left, width } = selected.select;
            if (width < 8) return;
            onZoom(selected.posToVal(left, 'x'), selected.posToVal(left + width, 'x'));
          },
        ],
      },
    },
    [data.times, data.values],
    container,
  );
  return {
    resize: (width) => {
      chart.setSize({ width, height });
    },
    destroy: () => {
      chart.destroy();
    },
  };
}

/** Hours and minutes, or days for long ranges. */
function timeLabels(seconds: number) {
  const options: Intl.DateTimeFormatOptions =
    seconds > 2 * 86_400
      ? { day: 'numeric', month: 'short' }
      : { hour: '2-digit', minute: '2-digit' };
  const label = new Intl.DateTimeFormat('en-GB', options);
  return (_chart: uPlot, splits: number[]) => splits.map((value) => label.format(value * 1_000));
}

/** Wide enough for the longest label. uPlot also calls it before there are labels. */
function axisWidth(context: CanvasRenderingContext2D, labels: string[] | null): number {
  context.save();
  context.font = axisFont;
  const widths = (labels ?? []).map((label) => context.measureText(label).width);
  context.restore();
  return Math.ceil(Math.max(minAxisWidth, ...widths.map((width) => width + labelMargin)));
}
