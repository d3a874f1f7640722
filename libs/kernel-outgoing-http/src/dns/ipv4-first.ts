import { networkInterfaces } from 'node:os';
import type { ResolvedAddress } from './resolver.js';

/** Only the first address is connected to, so the machine must have its family: IPv4, unless it has only IPv6. */
export function ipv4First(answers: ResolvedAddress[], interfaces = networkInterfaces): ResolvedAddress[] {
  const [v4, v6] = [4, 6].map((family) => answers.filter((answer) => answer.family === family));
  if (v4!.length === 0 || v6!.length === 0) return answers;
  const outside = Object.values(interfaces()).flatMap(
    (addresses) => addresses?.filter(({ internal }) => !internal) ?? [],
  );
  const hasV6Alone = outside.length > 0 && outside.every(({ family }) => family === 'IPv6');
  return hasV6Alone ? [...v6!, ...v4!] : [...v4!, ...v6!];
}
