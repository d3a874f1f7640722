import { readFileSync, readdirSync } from 'node:fs';

const TICKS_PER_SECOND = 100;

/** CPU seconds used by a process so far. Linux only. */
export function cpuSecondsOf(pid: number | string): number {
  const stat = readStat(pid);
  return stat ? (Number(stat.fields[11]) + Number(stat.fields[12])) / TICKS_PER_SECOND : 0;
}

/** The same for all running PostgreSQL processes of this machine together. */
export function cpuSecondsOfPostgres(): number {
  return readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry) && readStat(entry)?.name === 'postgres')
    .reduce((sum, pid) => sum + cpuSecondsOf(pid), 0);
}

/** The name is in parentheses and may contain parentheses and spaces. */
function readStat(pid: number | string): { name: string; fields: string[] } | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const end = text.lastIndexOf(')');
    return { name: text.slice(text.indexOf('(') + 1, end), fields: text.slice(end + 2).split(' ') };
  } catch {
    return undefined;
  }
}
