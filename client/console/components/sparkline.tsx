/** A small bar chart with its own scale. */
interface SparklineProps {
  values: readonly number[];
  /** For screen readers. */
  label: string;
  tone?: 'good' | 'bad';
}

const width = 90;
const height = 22;

export function Sparkline({ values, label, tone = 'good' }: SparklineProps) {
  const highest = Math.max(...values, 0);
  const step = width / Math.max(1, values.length);
  const bars = values
    .map((value, index) => {
      const size = highest === 0 ? 0 : Math.max(1.5, (value / highest) * (height - 2));
      return value === 0
        ? ''
        : `M${(index * step).toFixed(2)} ${height - 1}v${(-size).toFixed(2)}h${Math.max(1, step - 0.4).toFixed(2)}v${size.toFixed(2)}z`;
    })
    .join('');
  return (
    <svg
      class={`sparkline ${tone}`}
      viewBox={`0 0 ${width} ${height}`}
      role="img"
      aria-label={label}
    >
      <path class="axis" d={`M0 ${height - 0.5}h${width}`} />
      <path class="bars" d={bars} />
    </svg>
  );
}
