import { describeIssues, type FieldIssue, type IssueList, listIssues } from '@kernel/runtime';

/** Base of all errors: a stable `code` for programs, a message that names the fix for people. Never a payload. */
export abstract class EventBusError extends Error {
  abstract readonly code: string;

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
  }
}

export class InvalidOptionsError extends EventBusError {
  readonly code = 'EVENTBUS_INVALID_OPTIONS';
}

/** Types that an error names. */
const MAX_TYPES = 20;

export class OutboxTransactionRequiredError extends EventBusError {
  readonly code = 'OUTBOX_TRANSACTION_REQUIRED';

  constructor(eventTypes: readonly string[]) {
    const types = [...new Set(eventTypes)];
    const more = types.length > MAX_TYPES ? ` and ${types.length - MAX_TYPES} more` : '';
    super(
      `publish(${types.slice(0, MAX_TYPES).join(', ')}${more}) needs a running transaction: call it inside em.transactional(...) or @Transactional(), ` +
        'or hand in the fork that you called begin() on as { em }, or a pg client after its BEGIN as { client }. Nothing was written.',
    );
  }
}

export class InvalidPublishOptionsError extends EventBusError {
  readonly code = 'OUTBOX_PUBLISH_OPTIONS_INVALID';

  constructor(problem: string) {
    super(`the options of publish are not valid: ${problem}. Nothing was written.`);
  }
}

export class UntrackedTransactionError extends EventBusError {
  readonly code = 'OUTBOX_TRANSACTION_UNTRACKED';

  constructor() {
    super(
      'this transaction was opened past the EntityManager, so its commit would not be noticed and the events would be lost: ' +
        'open it with em.transactional(...) or em.begin().',
    );
  }
}

export class TransactionAlreadyWrittenError extends EventBusError {
  readonly code = 'OUTBOX_TRANSACTION_ALREADY_WRITTEN';

  constructor() {
    super('this transaction is committing and its events are written: publish before the commit begins.');
  }
}

export class EventsNotWrittenError extends EventBusError {
  readonly code = 'OUTBOX_EVENTS_NOT_WRITTEN';

  constructor() {
    super(
      'This transaction was committed before its events could be written: MikroORM did not announce the commit ' +
        '(beforeTransactionCommit). Use the MikroORM version that the kernel is tested with.',
    );
  }
}

/** The transaction is rolled back. Run again as a whole, it may succeed. */
export class RetryableTransactionError extends EventBusError {
  readonly code = 'OUTBOX_TRANSACTION_RETRYABLE';

  constructor(
    /**
     * PostgreSQL's code. 40001: another transaction was faster; 40P01: deadlock; 57P01 to 57P03, 53300 and 25006: the
     * server stops, starts, is full or has become a standby; 08006: the connection was lost before the commit; 26000
     * and 42P05: a pooler does not support prepared statements, which are then disabled.
     */
    readonly sqlState: string,
    options?: ErrorOptions,
  ) {
    super(
      `PostgreSQL ended this transaction (${sqlState}), and nothing of it was written: run it again from its beginning.`,
      options,
    );
  }
}

export class TraceIdRequiredError extends EventBusError {
  readonly code = 'EVENT_TRACE_ID_REQUIRED';

  constructor(type: string) {
    super(
      `the event ${type} has no traceId and none is in the request context: pass traceId, or publish within a request or ` +
        "runWithTrace(); or leave out the option traceId: 'required'.",
    );
  }
}

export class EventNotDeclaredError extends EventBusError {
  readonly code = 'EVENT_NOT_DECLARED';

  constructor(type: string) {
    super(`the event ${type} is not declared: list it in EventBusModule.forRoot({ events }). Nothing was written.`);
  }
}

export class InvalidEventError extends EventBusError {
  readonly code: string = 'EVENT_INVALID';

  /** The first 20. */
  readonly issues: FieldIssue[];
  /** Number of further issues. */
  readonly more: number;

  constructor(
    found: readonly FieldIssue[] | IssueList,
    { what = 'the event', ...options }: ErrorOptions & { what?: string } = {},
  ) {
    const list = 'more' in found ? found : listIssues(found);
    super(`${what} is not valid: ${describeIssues(list)}`, options);
    this.issues = list.issues;
    this.more = list.more;
  }
}

/** The event has a field that its type forbids, or lacks a label that its type requires. Names paths, never a value. */
export class MisclassifiedEventError extends InvalidEventError {
  override readonly code = 'EVENT_MISCLASSIFIED';

  constructor(type: string, issues: readonly FieldIssue[]) {
    super(issues, { what: `the event ${type}` });
  }
}

export class PayloadTooLargeError extends EventBusError {
  readonly code = 'EVENT_PAYLOAD_TOO_LARGE';

  constructor(
    type: string,
    readonly actualBytes: number,
    readonly maxBytes: number,
  ) {
    super(`the payload of ${type} has ${actualBytes} bytes; at most ${maxBytes} are allowed (option maxPayloadBytes).`);
  }
}

export class DuplicateEventIdError extends EventBusError {
  readonly code = 'EVENT_DUPLICATE_ID';

  constructor(eventId: string, { detail, ...options }: ErrorOptions & { detail?: string } = {}) {
    const what = `an event with the id ${eventId} exists already${detail ? `, ${detail}` : ''}`;
    super(`${what}: leave eventId out, or supply a new one.`, options);
  }
}

export class EventIdReusedError extends EventBusError {
  readonly code = 'EVENT_ID_REUSED';

  constructor(
    eventId: string,
    /** Fields in which the two events differ. */
    readonly differing: readonly string[],
  ) {
    super(
      `the event id ${eventId} belongs to an event with another ${differing.join(', ')}: ` +
        'a repeat must say the same; for a new event leave eventId out, or supply a new one.',
    );
  }
}

export class IdempotencyKeyRequiredError extends EventBusError {
  readonly code = 'EVENT_IDEMPOTENCY_KEY_REQUIRED';

  constructor(type: string) {
    super(
      `events of the type ${type} need an idempotencyKey: pass one that is the same whenever the same thing is published again.`,
    );
  }
}

export class IdempotencyConflictError extends EventBusError {
  readonly code = 'EVENT_IDEMPOTENCY_CONFLICT';

  constructor(
    readonly idempotencyKey: string,
    /** The event that holds the key. */
    readonly eventId: string,
    /** Fields in which the two events differ. */
    readonly differing: readonly string[],
  ) {
    super(
      `the idempotency key ${idempotencyKey} belongs to the event ${eventId} with another ${differing.join(', ')}: ` +
        'a repeat must say the same; for a new event use a new key. Nothing was published.',
    );
  }
}

export class UnknownEventError extends EventBusError {
  readonly code = 'EVENT_UNKNOWN';

  constructor(eventId: string) {
    super(
      `there is no event ${eventId} of this aggregate to go on after: give the last one of the page before, or none.`,
    );
  }
}

export class DuplicateEventDefinitionError extends EventBusError {
  readonly code = 'EVENT_DEFINED_TWICE';

  constructor(type: string) {
    super(`the event type ${type} is defined twice: keep one defineEvent({ type: '${type}' }).`);
  }
}

/** The start stops: the host's MikroORM does not know entities of the kernel. */
export class EntitiesMissingError extends EventBusError {
  readonly code = 'EVENTBUS_ENTITIES_MISSING';

  constructor(missing: readonly string[]) {
    super(
      `MikroORM does not know the kernel's entities (${abridged(missing)}): wrap its options, ` +
        'MikroOrmModule.forRoot(withEventBus({ ... })).',
    );
  }
}

/** The start stops: the database does not have all tables of this version. */
export class MigrationsMissingError extends EventBusError {
  readonly code = 'EVENTBUS_MIGRATIONS_MISSING';

  constructor(pending: readonly string[]) {
    super(
      `the database misses ${pending.length === 1 ? 'a migration' : `${pending.length} migrations`} of the kernel ` +
        `(${abridged(pending)}): run migrate(orm) before the start, as the owner of the tables, or set ` +
        "EventBusModule.forRoot({ migrations: 'run' }).",
    );
  }
}

/** The start stops: `migrations: 'run'` with a database user that may not change tables. */
export class MigrationsRefusedError extends EventBusError {
  readonly code = 'EVENTBUS_MIGRATIONS_REFUSED';

  constructor(reason: string, options: ErrorOptions) {
    super(
      `the database user may not apply the migrations (${reason}): connect as the owner of the tables, or run ` +
        "migrate(orm) as the owner before the start and set migrations: 'check'.",
      options,
    );
  }
}

/** The start stops: MikroORM's packages work together only in equal versions. */
export class OrmVersionsDifferError extends EventBusError {
  readonly code = 'EVENTBUS_ORM_VERSIONS_DIFFER';

  constructor(packages: readonly { name: string; version: string }[]) {
    super(
      `the versions of MikroORM's packages differ (${packages.map(({ name, version }) => `${name} ${version}`).join(', ')}): ` +
        'install all of them in the same version.',
    );
  }
}

function abridged(names: readonly string[]): string {
  return names.length > 3 ? `${names[0]} to ${names.at(-1)}` : names.join(', ');
}

/** Thrown by `next` if broadcast middleware calls it too late: the event is still pending and is retried. */
export class BroadcastLateError extends EventBusError {
  readonly code = 'EVENTBUS_BROADCAST_LATE';

  constructor(timeoutMs: number) {
    super(
      `the broadcast middleware had not called next within ${timeoutMs} ms, or when the worker stopped; the event is tried ` +
        'again later. Set deadlines on what it waits for, or raise broadcastTimeoutMs.',
    );
  }
}

/** Dispatchers or middleware that cannot work together. */
export class DispatcherConfigurationError extends EventBusError {
  readonly code = 'EVENTBUS_DISPATCH_CONFIGURATION';
}

export class HandlerConfigurationError extends EventBusError {
  readonly code = 'EVENTBUS_HANDLER_CONFIGURATION';
}
