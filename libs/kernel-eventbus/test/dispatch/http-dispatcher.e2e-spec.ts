import { dispatcherConformance } from '@kernel/eventbus/testing';
import { startKernelApp, type KernelApp } from '@kernel/test-support/kernel-app';
import { DispatchRunner } from '../../src/dispatch/dispatch-runner.js';
import { HTTP_DISPATCHER } from '../../src/dispatch/http-dispatcher.js';
import { NO_REDACTION, type InvocationRequest, type InvokedEndpoint } from '../../src/dispatch/invocation.js';
import type { Handoff, HandoffResult, WebhookDispatcher } from '../../src/dispatch/webhook-dispatcher.js';

const INVOKED: InvokedEndpoint = {
  kind: 'invoked',
  result: { kind: 'response', statusCode: 204, headers: {}, bodyExcerpt: '', latencyMs: 1 },
  bodySha256: null,
  redaction: NO_REDACTION,
};

/** The engine skips the handoff to this dispatcher, so the rules are checked on its runner. */
describe('[SC-006] [SC-008] [SC-011] the HTTP dispatcher, as the engine runs it', () => {
  let kernel: KernelApp;
  beforeAll(async () => {
    kernel = await startKernelApp({ role: 'api' });
  });
  afterAll(() => kernel.close());

  const dispatch = async (handoff: Handoff): Promise<HandoffResult> => {
    const { delivery, signal } = handoff;
    const request = { ...delivery, endpoint: { url: delivery.url, dispatcher: null } };
    const ran = await kernel.app.get(DispatchRunner).run(request as unknown as InvocationRequest, signal, async () => {
      await handoff.invoke();
      return INVOKED;
    });
    expect(ran.invocation).toBe(INVOKED);
    expect(ran.handoff).toMatchObject({ dispatcher: HTTP_DISPATCHER });
    return ran.handoff!;
  };
  const make = (): WebhookDispatcher => ({ name: HTTP_DISPATCHER, dispatch });

  it.each(dispatcherConformance.map((rule) => [rule.title, rule] as const))('%s', async (_title, rule) => {
    await expect(rule.check(make)).resolves.toBeUndefined();
  });
});
