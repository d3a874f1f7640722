const WIDTH = 120;
const HEIGHT = 22;

/** Throughput of the last minutes, from the stream. */
export function ThroughputLine({ samples }: { samples: readonly number[] }) {
  const most = Math.max(1, ...samples);
  const points = samples.map((sample, index) => {
    const x = samples.length > 1 ? (index / (samples.length - 1)) * WIDTH : 0;
    return `${x.toFixed(1)},${(HEIGHT - 1 - (sample / most) * (HEIGHT - 2)).toFixed(1)}`;
  });
  return (
    <svg class="throughput-line" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
      <polyline points={points.length > 1 ? points.join(' ') : `0,${HEIGHT - 1} ${WIDTH},${HEIGHT - 1}`} />
    </svg>
  );
}
