import { lookup } from 'node:dns/promises';

export interface ResolvedAddress {
  address: string;
  family: 4 | 6;
}

export type Resolver = (hostname: string, signal: AbortSignal) => Promise<ResolvedAddress[]>;

/**
 * getaddrinfo, so that /etc/hosts and the system's address preference count. It runs on libuv's few threads: concurrent
 * questions for one name share one answer. Answers are not kept, so every attempt still asks anew. getaddrinfo cannot be
 * cancelled; whoever waits gives up by the signal.
 */
export function createSystemResolver(ask: (hostname: string) => Promise<ResolvedAddress[]> = askSystem): Resolver {
  const running = new Map<string, Promise<ResolvedAddress[]>>();
  return (hostname, signal) => {
    let answer = running.get(hostname);
    if (!answer) {
      answer = ask(hostname).finally(() => running.delete(hostname));
      running.set(hostname, answer);
    }
    return untilAborted(answer, signal);
  };
}

/** Settles like the promise, or rejects with the signal's reason as soon as that fires. */
export function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: settled, resolve, reject } = Promise.withResolvers<T>();
  const abort = () => reject(signal.reason);
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort, { once: true });
  promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  return settled;
}

async function askSystem(hostname: string): Promise<ResolvedAddress[]> {
  const answers = await lookup(hostname, { all: true });
  return answers.map(({ address, family }) => ({ address, family: family === 6 ? 6 : 4 }));
}
