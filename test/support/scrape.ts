export interface Sample {
  name: string;
  labels: Record<string, string>;
  value: number;
}

/** What `GET /metrics` answers, read as Prometheus would read it. */
export class Scrape {
  readonly samples: Sample[];
  /** The metrics by name, samples or not, with their types. */
  readonly types: ReadonlyMap<string, string>;

  constructor(readonly text: string) {
    this.types = new Map([...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name, type]) => [name!, type!]));
    this.samples = [...text.matchAll(/^([a-z_]+)(?:\{(.*)\})? (\S+)$/gm)].map(([, name, labels, value]) => ({
      name: name!,
      labels: Object.fromEntries(
        [...(labels ?? '').matchAll(/(\w+)="([^"]*)"/g)].map(([, label, text]) => [label!, text!]),
      ),
      value: Number(value === 'Nan' ? NaN : value!.replace('+Inf', 'Infinity')),
    }));
  }

  /** Of the one sample with this name and these labels; undefined when there is none. */
  value(name: string, labels: Record<string, string> = {}): number | undefined {
    return this.samples.find(
      (sample) =>
        sample.name === name && Object.entries(labels).every(([label, text]) => sample.labels[label] === text),
    )?.value;
  }

  /** The names that a query may use. A histogram is known by its parts. */
  get names(): Set<string> {
    return new Set(
      [...this.types].flatMap(([name, type]) =>
        type === 'histogram' ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name],
      ),
    );
  }
}
