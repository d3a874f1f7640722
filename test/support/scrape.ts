export interface Sample {
  name: string;
  labels: Record<string, string>;
  value: number;
}

/** The response of `GET /metrics`, parsed like Prometheus does. */
export class Scrape {
  readonly samples: Sample[];
  /** The types of the metrics by name, with or without samples. */
  readonly types: ReadonlyMap<string, string>;

  constructor(readonly text: string) {
    this.types = new Map([...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name, type]) => [name!, type!]));
    this.samples = [...text.matchAll(/^([a-z_][a-z0-9_]*)(?:\{(.*)\})? (\S+)$/gm)].map(([, name, labels, value]) => ({
      name: name!,
      labels: Object.fromEntries(
        [...(labels ?? '').matchAll(/(\w+)="([^"]*)"/g)].map(([, label, text]) => [label!, text!]),
      ),
      value: Number(value === 'Nan' ? NaN : value!.replace('+Inf', 'Infinity')),
    }));
  }

  /** The value of the sample with this name and these labels; undefined if there is none. */
  value(name: string, labels: Record<string, string> = {}): number | undefined {
    return this.samples.find(
      (sample) =>
        sample.name === name && Object.entries(labels).every(([label, text]) => sample.labels[label] === text),
    )?.value;
  }

  /** The names that a query may use. A histogram appears as its parts. */
  get names(): Set<string> {
    return new Set(
      [...this.types].flatMap(([name, type]) =>
        type === 'histogram' ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name],
      ),
    );
  }
}
