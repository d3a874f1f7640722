import { HttpException } from '@nestjs/common';

export type Refusal = 'signature-invalid' | 'not-an-event' | 'unsupported-body';

const STATUS: Record<Refusal, { status: number; title: string }> = {
  'signature-invalid': { status: 401, title: 'Unauthorized' },
  'not-an-event': { status: 400, title: 'Bad Request' },
  'unsupported-body': { status: 415, title: 'Unsupported Media Type' },
};

/** Its response is a problem (RFC 9457): `{ type: 'urn:kernel:problem:<code>', title, status, detail }`. */
export class WebhookRefusedException extends HttpException {
  constructor(
    readonly code: Refusal,
    readonly detail: string,
    options?: ErrorOptions,
  ) {
    const { status, title } = STATUS[code];
    super({ type: `urn:kernel:problem:${code}`, title, status, detail }, status, options);
  }
}
