import type { EndpointInvokerMiddleware } from '@kernel/eventbus';

/** Whatever is about to be sent of this type takes the process with it. */
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
