export interface Bar {
  good: number;
  bad: number;
}

const WIDTH = 120;
const HEIGHT = 28;

/** Successes and failures side by side over time. */
export function Sparkline({ bars, label }: { bars: readonly Bar[]; label: string }) {
  const most = Math.max(1, ...bars.map(({ good, bad }) => good + bad));
  const step = WIDTH / Math.max(1, bars.length);
  const toHeight = (count: number) => (count === 0 ? 0 : Math.max(2, (count / most) * HEIGHT));
  return (
    <svg class="sparkline" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={label} preserveAspectRatio="none">
      {bars.map(({ good, bad }, index) => {
        const badHeight = toHeight(bad);
        const goodHeight = Math.min(toHeight(good), HEIGHT - badHeight);
        const place = { x: index * step, width: Math.max(1, step - 1.5), rx: 0.5 };
        return (
          <g key={index}>
            <rect class="is-none" {...place} y={HEIGHT - 1} height={1} />
            <rect class="is-good" {...place} y={HEIGHT - badHeight - goodHeight} height={goodHeight} />
            <rect class="is-bad" {...place} y={HEIGHT - badHeight} height={badHeight} />
          </g>
        );
      })}
    </svg>
  );
}
