import { HttpException } from '@nestjs/common';

export type Refusal = 'signature-invalid' | 'not-an-event' | 'unsupported-body';

const STATUS: Record<Refusal, { status: number; title: string }> = {
  'signature-invalid': { status: 401, title: 'Unauthorized' },
  'not-an-event': { status: 400, title: 'Bad Request' },
  'unsupported-body': { status: 415, title: 'Unsupported Media Type' },
};

/** The response is a problem (RFC 9457): `{ type, title, status, detail }`. */
export class WebhookRefusedException extends HttpException {
  constructor(
    readonly type: Refusal,
    readonly detail: string,
    options?: ErrorOptions,
  ) {
    const { status, title } = STATUS[type];
    super({ type, title, status, detail }, status, options);
  }
}
