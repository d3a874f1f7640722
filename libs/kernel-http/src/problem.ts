import { STATUS_CODES } from 'node:http';
import { z } from 'zod';

/** RFC 9457 problem document; `errors` names the invalid fields. */
export const Problem = z.object({
  type: z.string().describe('`urn:kernel:problem:<code>`, e.g. `urn:kernel:problem:not-found`'),
  title: z.string(),
  status: z.number().int(),
  detail: z.string(),
  traceId: z.string(),
  errors: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
});
export type Problem = z.infer<typeof Problem>;

/** A problem before it is written: `code` becomes its `type`. */
export type ProblemFacts = Omit<Problem, 'type' | 'traceId' | 'title'> & { code: string; title?: string };

const TYPE_PREFIX = 'urn:kernel:problem:';

/** The only place that makes a `type`. */
export function toProblem({ code, title, status, ...facts }: ProblemFacts, traceId: string): Problem {
  return { type: `${TYPE_PREFIX}${code}`, title: title ?? titleOf(status), status, ...facts, traceId };
}

/** The code of a problem is the stable code of its error, written like a word. */
export function codeOf({ code }: { code: string }): string {
  return code.toLowerCase().replaceAll('_', '-');
}

/** Codes that this package uses for a status itself. */
const CODES: Record<number, string> = { 413: 'body-too-large', 415: 'unsupported-body', 500: 'internal-error' };

/** For an error that has a status and no code: e.g. `not-found`, `bad-request`. */
export function codeOfStatus(status: number): string {
  const words = titleOf(status)
    .toLowerCase()
    .match(/[a-z]+/g)!;
  return CODES[status] ?? words.join('-');
}

export function titleOf(status: number): string {
  return STATUS_CODES[status] ?? 'Error';
}
