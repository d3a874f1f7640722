export type Methods = Record<string, (argument: never) => unknown>;

interface Call {
  callId: number;
  method: string;
  argument: unknown;
}

/** Serves the calls that the parent makes through `startChild`, and ends with the parent. */
export function serveCalls(methods: Methods): void {
  process.on('message', (call: Call) => void answer(methods, call));
  process.on('disconnect', () => process.exit());
}

async function answer(methods: Methods, { callId, method, argument }: Call): Promise<void> {
  try {
    const run = methods[method];
    if (!run) {
      throw new Error(`this contestant cannot ${method}`);
    }
    process.send!({ callId, result: await run(argument as never) });
  } catch (error) {
    process.send!({ callId, error: error instanceof Error ? (error.stack ?? error.message) : String(error) });
  }
}
