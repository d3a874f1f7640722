import { Resolver } from 'node:dns/promises';
import { ipv4First } from './ipv4-first.js';
import { LookUpTimeoutError, type Question } from './look-ups.js';
import type { ResolvedAddress } from './resolver.js';

/** Dead servers after which there is still time to ask the next one. */
const DEAD_SERVERS = 2;
/** Share of the timeout for the second family once the first has answered. Some servers never answer for IPv6. */
const SECOND_FAMILY_SHARE = 0.2;
const TIMED_OUT = new Set(['ETIMEOUT', 'ECANCELLED']);

/**
 * Queries DNS servers without a libuv thread. Each query has its own c-ares channel: it can be cancelled alone, reads a
 * changed resolv.conf and keeps its timeout (a reused channel adapts it to earlier response times). Throws at once if a
 * server is not a valid address.
 */
export function askDns(timeoutMs: number, servers?: readonly string[]): Question {
  const patience = { timeout: Math.ceil(timeoutMs / (DEAD_SERVERS + 1)), tries: 2 };
  if (servers) new Resolver().setServers(servers);
  return async (hostname, signal) => {
    const dns = new Resolver(patience);
    if (servers) dns.setServers(servers);
    const cancel = () => dns.cancel();
    signal.addEventListener('abort', cancel, { once: true });
    let timer: NodeJS.Timeout | undefined;
    const hurry = () => (timer ??= setTimeout(cancel, timeoutMs * SECOND_FAMILY_SHARE));
    try {
      const questions = [dns.resolve4(hostname), dns.resolve6(hostname)] as const;
      for (const question of questions) question.then(hurry, () => undefined);
      const [v4, v6] = await Promise.allSettled(questions);
      const found = [...addressesIn(v4, 4), ...addressesIn(v6, 6)];
      if (found.length === 0) throw failureOf([v4, v6]);
      return ipv4First(found);
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', cancel);
    }
  };
}

function addressesIn(answer: PromiseSettledResult<string[]>, family: 4 | 6): ResolvedAddress[] {
  return answer.status === 'fulfilled' ? answer.value.map((address) => ({ address, family })) : [];
}

function failureOf(answers: PromiseSettledResult<string[]>[]): unknown {
  const failures = answers.flatMap((answer) =>
    answer.status === 'rejected' ? [answer.reason as { code: string }] : [],
  );
  return failures.some(({ code }) => TIMED_OUT.has(code)) ? new LookUpTimeoutError() : failures[0];
}
