/** Draws lines over two axes as SVG, legible on a light and on a dark page. */
import type { Scale } from './scale.js';

export interface Axis {
  title: string;
  scale: Scale;
}

export interface Series {
  name: string;
  points: readonly (readonly [x: number, y: number])[];
  /** Of the palette; series of the same colour belong together. */
  colour: number;
  isDashed?: boolean;
}

export interface Chart {
  title: string;
  x: Axis;
  y: Axis;
  series: readonly Series[];
}

const width = 760;
/** Where the plot is, below one line of names. */
const area = { left: 68, right: 736, top: 100, bottom: 372, below: 56 };
const legendLine = 20;
/** On average; nobody can measure text here. Digits are a little wider. */
const letterWidth = 7;
const digitWidth = 8;

/** Distinct for everybody, also for those who do not tell red from green. */
const palette = {
  light: ['#0a5fb4', '#c2550a', '#12795e', '#8a3fa0', '#8a6d00', '#5a6472'],
  dark: ['#58a6ff', '#f0883e', '#3fc69b', '#d08be3', '#d9b93b', '#9aa5b1'],
};

const colourRules = (colours: readonly string[]) =>
  colours.map((colour, index) => `.c${index}{stroke:${colour};fill:${colour}}`).join('');

const style = `
text{font:13px system-ui,-apple-system,"Segoe UI",sans-serif;fill:#3d444d}
.title{font-size:16px;font-weight:600;fill:#1f2328}
.grid{stroke:#d1d9e0;stroke-width:1}
.axis{stroke:#818b98;stroke-width:1}
.line{fill:none;stroke-width:2.25;stroke-linejoin:round;stroke-linecap:round}
.dashed{stroke-dasharray:6 5}
${colourRules(palette.light)}
path.line{fill:none}
@media (prefers-color-scheme:dark){
text{fill:#b7bdc8}
.title{fill:#f0f6fc}
.grid{stroke:#2f353d}
.axis{stroke:#656c76}
${colourRules(palette.dark)}
path.line{fill:none}
}`;

export function drawChart({ title, x, y, series }: Chart): string {
  const names = legend(series);
  const moved = (names.lines - 1) * legendLine;
  const plot = { ...area, top: area.top + moved, bottom: area.bottom + moved };
  const height = plot.bottom + plot.below;
  const toX = (value: number) => along(plot.left, plot.right, x.scale.position(value));
  const toY = (value: number) => along(plot.bottom, plot.top, y.scale.position(value));
  const gridLines = y.scale.ticks.map((tick) => {
    const at = toY(tick);
    return [
      `<line class="grid" x1="${plot.left}" x2="${plot.right}" y1="${at}" y2="${at}"/>`,
      `<text x="${plot.left - 10}" y="${at + 4}" text-anchor="end">${tickText(tick)}</text>`,
    ].join('');
  });
  const xLabels = x.scale.ticks.map((tick) => {
    const at = toX(tick);
    const text = tickText(tick);
    // A long one at the end is moved to where there is room for all of it.
    const middle = Math.min(at, width - (text.length * digitWidth) / 2);
    return [
      `<line class="axis" x1="${at}" x2="${at}" y1="${plot.bottom}" y2="${plot.bottom + 5}"/>`,
      `<text x="${middle}" y="${plot.bottom + 21}" text-anchor="middle">${text}</text>`,
    ].join('');
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escapeText(title)}">`,
    `<style>${style}</style>`,
    `<text class="title" x="16" y="28">${escapeText(title)}</text>`,
    names.markup,
    `<text x="16" y="${plot.top - 20}">${escapeText(y.title)}</text>`,
    ...gridLines,
    ...xLabels,
    `<line class="axis" x1="${plot.left}" x2="${plot.right}" y1="${plot.bottom}" y2="${plot.bottom}"/>`,
    `<text x="${plot.right}" y="${plot.bottom + 44}" text-anchor="end">${escapeText(x.title)}</text>`,
    ...series.map((one) => drawSeries(one, toX, toY)),
    '</svg>',
    '',
  ].join('\n');
}

function drawSeries(
  { points, colour, isDashed }: Series,
  toX: (value: number) => number,
  toY: (value: number) => number,
): string {
  const places = points.map(([x, y]) => [toX(x), toY(y)] as const);
  const path = places.map(([x, y], index) => `${index === 0 ? 'M' : 'L'}${x} ${y}`).join('');
  const dots = places.map(([x, y]) => `<circle class="c${colour}" cx="${x}" cy="${y}" r="3"/>`);
  return `<path class="line c${colour}${isDashed ? ' dashed' : ''}" d="${path}"/>${dots.join('')}`;
}

/** The names of the series above the plot, in as many lines as they need. */
function legend(series: readonly Series[]): { markup: string; lines: number } {
  const begin = 16;
  let left = begin;
  let line = 0;
  const entries = series.map(({ name, colour, isDashed }) => {
    const needed = 33 + name.length * letterWidth;
    if (left + needed > width) [left, line] = [begin, line + 1];
    const [at, y] = [left, 48 + line * legendLine];
    left += needed + 19;
    return [
      `<path class="line c${colour}${isDashed ? ' dashed' : ''}" d="M${at} ${y}L${at + 26} ${y}"/>`,
      `<text x="${at + 33}" y="${y + 4}">${escapeText(name)}</text>`,
    ].join('');
  });
  return { markup: entries.join('\n'), lines: line + 1 };
}

/** Rounded: a tenth of a pixel is nothing that anybody sees. */
function along(from: number, to: number, share: number): number {
  return Math.round((from + (to - from) * share) * 10) / 10;
}

function tickText(value: number): string {
  return Number(value.toPrecision(6)).toLocaleString('en', { maximumFractionDigits: 6 });
}

function escapeText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
