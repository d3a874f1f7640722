/** Base of every error of the library: a stable `code` for programs, a message that names the fix, never a payload. */
export abstract class InboxError extends Error {
  abstract readonly code: string;

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
  }
}

export class InvalidInboxOptionsError extends InboxError {
  readonly code = 'INBOX_INVALID_OPTIONS';
}

/** The message is not proven to come from the sender. */
export class SignatureInvalidError extends InboxError {
  readonly code = 'INBOX_SIGNATURE_INVALID';
}

/** The signature is valid, but the body is not an event, or its headers name a different one. */
export class NotAnEventError extends InboxError {
  readonly code = 'INBOX_NOT_AN_EVENT';
}

export class RawBodyMissingError extends InboxError {
  readonly code = 'INBOX_RAW_BODY_MISSING';

  constructor() {
    super(
      'the bytes of the body are gone, and a signature covers nothing else: create the app with { rawBody: true }, or give this ' +
        'route express.raw({ type: () => true }).',
    );
  }
}

export class InboxTransactionRequiredError extends InboxError {
  readonly code = 'INBOX_TRANSACTION_REQUIRED';

  constructor() {
    super(
      'mark(event, em) needs an EntityManager with a running transaction, that of the effect: call it inside ' +
        'em.transactional(...), or use process(event, work), which opens one. Nothing was written.',
    );
  }
}

export interface Gap {
  tenantId: string;
  streamKey: string;
  /** The last processed event of the stream before the gap. */
  after: number;
  /** The last missing event; there may be more between the two. */
  upTo: number;
}

/** With `gaps: 'refuse'`: nothing was written, and the event can be sent again. */
export class StreamGapError extends InboxError {
  readonly code = 'INBOX_STREAM_GAP';

  constructor(readonly gap: Gap) {
    super(
      `stream ${gap.streamKey} of tenant ${gap.tenantId}: event ${gap.upTo} was sent before this one and is not processed here; the ` +
        `last one that is has the number ${gap.after}. Have it sent again, or call forgetStream to go on without it.`,
    );
  }
}

/** Thrown by the work of a JetStream consumer to reject an event for good: it is not redelivered. */
export class EventRefusedError extends InboxError {
  readonly code = 'INBOX_EVENT_REFUSED';
}
