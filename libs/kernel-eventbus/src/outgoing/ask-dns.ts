import { Resolver } from 'node:dns/promises';
import { ipv4First } from './ipv4-first.js';
import { LookUpTimeoutError, type Question } from './look-ups.js';
import type { ResolvedAddress } from './resolver.js';

/** As many servers may be dead without the next one being asked too late. */
const DEAD_SERVERS = 2;
/** Where one family has answered, the other gets so much of the time. Some servers never answer for IPv6. */
const SECOND_FAMILY_SHARE = 0.2;
const TIMED_OUT = new Set(['ETIMEOUT', 'ECANCELLED']);

/**
 * Asks DNS servers, without a thread. Each question has a c-ares channel of its own: it can be cancelled alone, it reads a
 * changed resolv.conf, and it waits as long as it is told to (one that is used again goes by what it has measured before).
 * Throws at once if a server is none.
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
