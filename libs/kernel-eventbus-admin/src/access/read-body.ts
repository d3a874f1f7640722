import type { IncomingMessage, ServerResponse } from 'node:http';
import bodyParser from 'body-parser';
import { hasBody, type ProblemException, problems } from '@kernel/http';
import type { Exchange } from '@kernel/runtime';
import { MAX_BODY_BYTES } from './body-limit.js';

// The guards have checked the content type.
const parseJson = bodyParser.json({ limit: MAX_BODY_BYTES, type: () => true });

/**
 * The body as the host parsed it, or parsed here if the host left it unread. Refuses a body that is missing for another
 * reason: treated as empty, a dry run would lose its `dryRun` and become a real run.
 */
export async function readBody({ incoming, body }: Exchange): Promise<unknown> {
  if (!hasBody(incoming)) {
    return body;
  }
  if (!incoming.readableDidRead) {
    return parse(incoming);
  }
  if (body === undefined) {
    throw problems.bodyNotParsed();
  }
  return body;
}

function parse(incoming: IncomingMessage & { body?: unknown }): Promise<unknown> {
  // Some hosts set an empty object before parsing.
  incoming.body = undefined;
  return new Promise((resolve, reject) => {
    // The parser does not use the response.
    parseJson(incoming, {} as ServerResponse, (error?: unknown) => {
      if (error) {
        reject(toProblem(error));
      } else {
        resolve(incoming.body);
      }
    });
  });
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
