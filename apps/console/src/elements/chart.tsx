import { useEffect, useRef } from 'preact/hooks';
import UPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { repaint } from '../theme/theme.ts';

export interface Line {
  label: string;
  /** A variable of the theme, e.g. `--accent`. */
  colour: string;
  isFilled?: boolean;
  values: readonly (number | null)[];
}

interface ChartProps {
  /** For screen readers. */
  label: string;
  /** Seconds since 1970. */
  times: readonly number[];
  lines: readonly Line[];
  formatValue: (value: number) => string;
}

const HEIGHT = 200;

export function Chart({ label, times, lines, formatValue }: ChartProps) {
  const frame = useRef<HTMLDivElement>(null);
  const painted = repaint.value;
  useEffect(() => {
    const element = frame.current!;
    const data = [times, ...lines.map(({ values }) => values)] as UPlot.AlignedData;
    const plot = new UPlot(optionsOf(element, lines, formatValue), data, element);
    const watch = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height: HEIGHT }));
    watch.observe(element);
    return () => {
      watch.disconnect();
      plot.destroy();
    };
  }, [times, lines, painted]);
  const isEmpty = lines.every(({ values }) => values.every((value) => value === null));
  return (
    <div class="chart">
      <div ref={frame} role="img" aria-label={label} />
      {isEmpty && <p class="chart-empty muted">Nothing in this time</p>}
    </div>
  );
}

function optionsOf(
  element: HTMLElement,
  lines: readonly Line[],
  formatValue: (value: number) => string,
): UPlot.Options {
  const colourOf = colourReader(element);
  const last = lines[0]!.values.length - 1;
  const axis = { stroke: colourOf('--muted'), font: '11px Inter, sans-serif', ticks: { show: false } };
  const grid = { stroke: colourOf('--line'), width: 1 };
  const say = (value: number | null) => (value === null ? '–' : formatValue(value));
  return {
    width: element.clientWidth,
    height: HEIGHT,
    padding: [8, 26, 0, 0],
    cursor: { y: false, drag: { x: false, y: false }, points: { size: 6 } },
    hooks: {
      ready: [(plot) => plot.setLegend({ idx: last })],
      // Without a pointer the legend shows the latest values.
      setCursor: [(plot) => plot.cursor.idx === null && plot.setLegend({ idx: last })],
    },
    scales: { y: { range: (_plot, _min, max) => [0, Math.max(5, max * 1.1)] } },
    axes: [
      { ...axis, grid: { show: false }, size: 28, space: 80, values: (plot, splits) => splits.map(formatTick(plot)) },
      { ...axis, grid, size: 56, values: (_plot, splits) => splits.map(say) },
    ],
    series: [
      { value: (_plot, at) => (at === null ? '' : new Date(at * 1_000).toLocaleString()) },
      ...lines.map(({ label, colour, isFilled }) => ({
        label,
        stroke: colourOf(colour),
        width: 1.5,
        ...(isFilled && { fill: colourOf(`${colour}-soft`) }),
        points: { show: true, size: 4, filter: lonely },
        value: (_plot: UPlot, value: number | null) => say(value),
      })),
    ],
  };
}

/** Points without neighbours, which no line would show. */
function lonely(plot: UPlot, index: number): number[] {
  const values = plot.data[index]!;
  const isEmpty = (at: number) => values[at] === null || values[at] === undefined;
  return Array.from(values.keys()).filter((at) => !isEmpty(at) && isEmpty(at - 1) && isEmpty(at + 1));
}

/** Days for long ranges, else the time of day. */
function formatTick({ data: [times] }: UPlot): (at: number) => string {
  const isLong = times.at(-1)! - times[0]! > 2 * 86_400;
  const format = new Intl.DateTimeFormat(
    undefined,
    isLong ? { month: 'short', day: 'numeric' } : { hour: '2-digit', minute: '2-digit' },
  );
  return (at) => format.format(new Date(at * 1_000));
}

/** A canvas does not resolve CSS variables: a hidden element does. */
function colourReader(element: HTMLElement): (name: string) => string {
  return (name) => {
    const probe = document.createElement('i');
    probe.style.color = `var(${name})`;
    element.append(probe);
    const { color } = getComputedStyle(probe);
    probe.remove();
    return color;
  };
}
