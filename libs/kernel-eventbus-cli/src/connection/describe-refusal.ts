interface FieldError {
  path: string;
  message: string;
}

interface Problem {
  type?: string;
  title?: string;
  detail?: string;
  traceId?: string;
  errors?: FieldError[];
}

const TYPE_PREFIX = 'urn:kernel:problem:';

/** One line of a problem document, with the invalid fields; for any other body only the status. */
export function describeRefusal(status: number, body: string): string {
  const { type, title, detail, traceId, errors = [] } = readProblem(body);
  const fields = errors
    .map(({ path, message }) => (path ? `${path}: ${message}` : message))
    .filter((field) => !detail?.includes(field));
  const what = [detail ?? title ?? 'the answer says no more', ...fields].join('; ');
  // The code says as much as the whole URN. A proxy's problems have types of their own.
  const code = type?.startsWith(TYPE_PREFIX) ? type.slice(TYPE_PREFIX.length) : type;
  return `${status}${code ? ` ${code}` : ''}: ${what}${traceId ? ` (trace ${traceId})` : ''}`;
}

function readProblem(body: string): Problem {
  try {
    const problem: unknown = JSON.parse(body);
    return typeof problem === 'object' && problem !== null ? problem : {};
  } catch {
    return {};
  }
}
