import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

export interface Child<M> {
  pid: number;
  call<Name extends keyof M & string>(method: Name, ...argument: ArgumentOf<M[Name]>): Promise<ResultOf<M[Name]>>;
  /** Ends the process after the running calls; it closes its own resources. */
  stop(): Promise<void>;
}

type ArgumentOf<F> = F extends (...args: infer A) => unknown ? A : never;
type ResultOf<F> = F extends (...args: never[]) => infer R ? Awaited<R> : never;

interface Answer {
  callId: number;
  result?: unknown;
  error?: string;
}

const resolveKernel = new URL('../resolve-kernel.ts', import.meta.url).href;

/** Runs a module that calls `serveCalls` in its own process. */
export function startChild<M>(module: URL, execArgv: string[] = []): Child<M> {
  const child = fork(fileURLToPath(module), { execArgv: ['--import', resolveKernel, ...execArgv] });
  const waiting = new Map<number, PromiseWithResolvers<never>>();
  let calls = 0;
  child.on('message', ({ callId, result, error }: Answer) => {
    const call = waiting.get(callId);
    waiting.delete(callId);
    if (error === undefined) {
      call?.resolve(result as never);
    } else {
      call?.reject(new Error(`${fileURLToPath(module)}: ${error}`));
    }
  });
  child.on('exit', (code) => {
    for (const call of waiting.values()) {
      call.reject(new Error(`${fileURLToPath(module)} ended with code ${code} in the middle of a call`));
    }
  });
  return {
    pid: child.pid!,
    call: (method, ...[argument]) => {
      const call = Promise.withResolvers<never>();
      const callId = calls++;
      waiting.set(callId, call);
      child.send({ callId, method, argument });
      return call.promise;
    },
    stop: async () => {
      if (child.exitCode === null && child.signalCode === null) {
        child.disconnect();
        await once(child, 'exit');
      }
    },
  };
}
