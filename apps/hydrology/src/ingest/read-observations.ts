import { CsvError, parse } from 'csv-parse/sync';
import { InputRejectedError } from './input-rejected.error.js';
import { Observation } from './observation.js';

interface Line {
  record: Record<string, string>;
  info: { lines: number };
}

const DESCRIPTION = ['name', 'river', 'latitude', 'longitude', 'access', 'sovereignty', 'governance_ref'] as const;

/** @throws {InputRejectedError} at the first invalid line */
export function readObservations(csv: string): Observation[] {
  const lines = parseCsv(csv);
  if (lines.length === 0) {
    throw new InputRejectedError('it has no observations');
  }
  const sites = new Map<string, Observation>();
  return lines.map(({ record, info }) => {
    const observation = check(record, info.lines);
    requireOneDescription(sites, observation, info.lines);
    return observation;
  });
}

function parseCsv(csv: string): Line[] {
  try {
    return parse(csv, {
      bom: true,
      columns: true,
      info: true,
      skip_empty_lines: true,
      trim: true,
    }) as unknown as Line[];
  } catch (error) {
    if (error instanceof CsvError) {
      throw new InputRejectedError(`it is no CSV with a line of column names (${error.code})`, { cause: error });
    }
    throw error;
  }
}

function check(record: Record<string, string>, line: number): Observation {
  const parsed = Observation.safeParse(record);
  if (!parsed.success) {
    const problems = parsed.error.issues.map(({ path, message }) => `${path.join('.')} ${message}`.trim());
    throw new InputRejectedError(`line ${line}: ${problems.join('; ')}`);
  }
  return parsed.data;
}

/** A site that is restricted in one line and open in another would be published in full. */
function requireOneDescription(sites: Map<string, Observation>, observation: Observation, line: number): void {
  const first = sites.get(observation.site_id) ?? observation;
  const differing = DESCRIPTION.filter((column) => first[column] !== observation[column]);
  if (differing.length > 0) {
    throw new InputRejectedError(`line ${line}: ${differing.join(', ')} differ from an earlier line of the same site`);
  }
  sites.set(observation.site_id, first);
}
