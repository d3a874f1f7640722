import { niceCeiling, ticksTo } from './ticks.ts';

export interface Chart {
  title: string;
  xLabel: string;
  yLabel: string;
  series: { name: string; points: { x: number; y: number }[] }[];
}

const WIDTH = 520;
const HEIGHT = 340;
const PLOT = { left: 70, right: 465, top: 50, bottom: 280 };
/** Legible on white and on black. */
const INK = '#7d8590';
const COLOURS = ['#e36209', '#3b82f6'];
const SINGLE_COLOUR = '#3b82f6';

/** Line charts side by side: x in logarithmic scale, one tick per point; y from zero. */
export function drawCharts(charts: readonly Chart[]): string {
  const width = WIDTH * charts.length;
  const panels = charts.map((chart, place) => `<g transform="translate(${place * WIDTH} 0)">\n${draw(chart)}\n</g>`);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${HEIGHT}" width="${width}" height="${HEIGHT}"`,
    `  font-family="system-ui, sans-serif" font-size="13" fill="${INK}" role="img">`,
    `<title>${escape(charts.map(({ title }) => title).join('; '))}</title>`,
    ...panels,
    '</svg>\n',
  ].join('\n');
}

function draw({ title, xLabel, yLabel, series }: Chart): string {
  const xs = series[0]!.points.map(({ x }) => x);
  const top = niceCeiling(Math.max(...series.flatMap(({ points }) => points.map(({ y }) => y))));
  const [first, last] = [Math.log(Math.min(...xs)), Math.log(Math.max(...xs))];
  const xOf = (x: number) => round(PLOT.left + ((Math.log(x) - first) / (last - first)) * (PLOT.right - PLOT.left));
  const yOf = (y: number) => round(PLOT.bottom - (y / top) * (PLOT.bottom - PLOT.top));
  const middleY = (PLOT.top + PLOT.bottom) / 2;
  return [
    text(PLOT.left, 24, title, 'font-size="15" font-weight="600"'),
    ...ticksTo(top).flatMap((y) => [
      `<line x1="${PLOT.left}" x2="${PLOT.right}" y1="${yOf(y)}" y2="${yOf(y)}" stroke="${INK}" stroke-opacity="0.3"/>`,
      text(PLOT.left - 8, yOf(y) + 4, y.toLocaleString('en'), 'text-anchor="end"'),
    ]),
    ...xs.map((x) => text(xOf(x), PLOT.bottom + 20, x.toLocaleString('en'), 'text-anchor="middle"')),
    text((PLOT.left + PLOT.right) / 2, PLOT.bottom + 44, xLabel, 'text-anchor="middle"'),
    text(16, middleY, yLabel, `text-anchor="middle" transform="rotate(-90 16 ${middleY})"`),
    ...series.flatMap(({ name, points }, place) => {
      const colour = series.length === 1 ? SINGLE_COLOUR : COLOURS[place % COLOURS.length]!;
      const places = points.map(({ x, y }) => `${xOf(x)},${yOf(y)}`);
      const end = points.at(-1)!;
      return [
        `<polyline points="${places.join(' ')}" fill="none" stroke="${colour}" stroke-width="2"/>`,
        ...points.map(({ x, y }) => `<circle cx="${xOf(x)}" cy="${yOf(y)}" r="3.5" fill="${colour}"/>`),
        text(xOf(end.x) + 10, yOf(end.y) + 4, name, `fill="${colour}" font-weight="600"`),
      ];
    }),
  ].join('\n');
}

function text(x: number, y: number, content: string, attributes: string): string {
  return `<text x="${x}" y="${y}" ${attributes}>${escape(content)}</text>`;
}

function escape(content: string): string {
  return content.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
