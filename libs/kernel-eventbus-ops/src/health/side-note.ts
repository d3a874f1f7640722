import type { HealthCheckResult } from '@nestjs/terminus';

/** A check that never takes the app out of rotation. Its facts are shown beside those of the others. */
export type SideNote = { status: 'up' | 'degraded' } & Record<string, unknown>;

/** Terminus up to version 11 knows no `degraded` and would drop such a check. */
export function withNotes(result: HealthCheckResult, notes: Record<string, SideNote>): HealthCheckResult {
  const isDegraded = Object.values(notes).some(({ status }) => status === 'degraded');
  return {
    ...result,
    status: isDegraded && result.status === 'ok' ? 'degraded' : result.status,
    info: { ...result.info, ...notes },
    details: { ...result.details, ...notes },
  };
}
