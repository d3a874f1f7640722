import type { EndpointInvokerMiddleware } from '@kernel/eventbus';

/** Sending an event of this type kills the process. */
export function deadlyType(type: string): EndpointInvokerMiddleware {
  return {
    name: 'deadly',
    invoke: (invocation, next) => {
      if (invocation.delivery.type === type) {
        process.kill(process.pid, 'SIGKILL');
      }
      return next();
    },
  };
}
