/** An error response of the admin API, or none at all. */
export class Problem extends Error {
  override readonly name = 'Problem';
  /** 0 without a response. */
  readonly status: number;
  readonly traceId: string | undefined;
  /** Messages of invalid fields by path in the body. */
  readonly fields: ReadonlyMap<string, string>;

  constructor(status: number, detail: string, { traceId, errors = [] }: ProblemDetails = {}) {
    super(detail);
    this.status = status;
    this.traceId = traceId;
    this.fields = new Map(errors.map(({ path, message }) => [path, message]));
  }
}

interface ProblemDetails {
  traceId?: string;
  errors?: { path: string; message: string }[];
}

export async function readProblem(response: Response): Promise<Problem> {
  const fallback = `the app answered ${response.status} ${response.statusText}`.trim();
  try {
    const details = (await response.json()) as ProblemDetails & { detail?: string; title?: string };
    return new Problem(response.status, details.detail ?? details.title ?? fallback, details);
  } catch {
    return new Problem(response.status, fallback);
  }
}
