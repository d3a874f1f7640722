import { z } from 'zod';

/** RFC 9457 problem document; `errors` names the invalid fields. */
export const Problem = z.object({
  type: z.string(),
  title: z.string(),
  status: z.number().int(),
  detail: z.string(),
  traceId: z.string(),
  errors: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
});
export type Problem = z.infer<typeof Problem>;

export type ProblemFacts = Omit<Problem, 'traceId' | 'title'> & { title?: string };

/** The type of a problem is the stable code of its error. */
export function typeOf({ code }: { code: string }): string {
  return code.toLowerCase().replaceAll('_', '-');
}
