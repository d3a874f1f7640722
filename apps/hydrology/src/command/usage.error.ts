export const USAGE = `npm run start:hydrology -- <command>

  run [--input <file.csv>] [--dataset-version <v1.0.0>]   runs the pipeline; the input defaults to the gauges that ship with it
  catalogue                                               prints the catalogue
  records                                                 prints the records of the outbox
  serve                                                   serves the catalogue and the admin API on PORT`;

export class UsageError extends Error {
  readonly code = 'HYDROLOGY_USAGE';

  constructor(problem: string) {
    super(`${problem}\n\n${USAGE}`);
    this.name = 'UsageError';
  }
}
