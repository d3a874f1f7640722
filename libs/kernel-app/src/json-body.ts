import { isOtherThanJson, ProblemException, problems } from '@kernel/http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import bodyParser from 'body-parser';

const LIMIT_BYTES = 1_048_576;
const parse = bodyParser.json({ limit: LIMIT_BYTES });

/** Runs after the trace and log middleware, unlike Nest's own parser, so a refused body has a trace and a log line. */
export function jsonBody(
  request: IncomingMessage & { body?: unknown },
  response: ServerResponse,
  next: (error?: unknown) => void,
): void {
  if (isOtherThanJson(request)) {
    next(problems.unsupportedBody());
    return;
  }
  parse(request, response, (error?: unknown) => {
    request.body ??= {};
    next(error && toProblem(error));
  });
}

/** The parser's own messages quote the body, which may hold personal data. */
function toProblem({ status, body }: { status?: number; body?: unknown }): ProblemException {
  switch (status) {
    case 413:
      return problems.bodyTooLarge(LIMIT_BYTES);
    case 415:
      return problems.unsupportedBody();
    default:
      return isJson(body)
        ? problems.invalid('', 'expected object')
        : new ProblemException({ code: 'malformed-body', status: 400, detail: 'the body is not valid JSON' });
  }
}

/** The parser accepts only objects and lists, and reports any other JSON value as invalid JSON. */
function isJson(text: unknown): boolean {
  try {
    JSON.parse(String(text));
    return true;
  } catch {
    return false;
  }
}
