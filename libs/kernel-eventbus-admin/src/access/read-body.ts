import { json, type Request, type Response } from 'express';
import { hasBody, type ProblemException, problems } from '@kernel/http';
import { MAX_BODY_BYTES } from './body-limit.js';

const parseJson = json({ limit: MAX_BODY_BYTES });

/**
 * Parses a body that the host left unread, into `request.body`. Refuses a body that is missing for another reason:
 * treated as empty, a dry run would lose its `dryRun` and become a real run.
 */
export async function readBody(request: Request, response: Response): Promise<void> {
  if (!hasBody(request)) {
    return;
  }
  if (!request.readableDidRead) {
    // Some hosts set an empty object before parsing.
    request.body = undefined;
    await new Promise<void>((resolve, reject) => {
      parseJson(request, response, (error?: unknown) => (error ? reject(toProblem(error)) : resolve()));
    });
  }
  if (request.body === undefined) {
    throw problems.bodyNotParsed();
  }
}

/** The parser's own messages quote the body, so they are not used. */
function toProblem(error: { status?: number }): ProblemException {
  switch (error.status) {
    case 413:
      return problems.bodyTooLarge(MAX_BODY_BYTES);
    case 415:
      return problems.unsupportedBody();
    default:
      return problems.malformedBody();
  }
}
