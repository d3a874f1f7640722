import { randomBytes, randomUUID } from 'node:crypto';
import type { DomainEvent } from '@kernel/eventbus';
import { CircuitBreakerOpened } from '../challenges/circuit-breaker-opened.js';
import { CustomerPseudonym } from '../customers/customer-pseudonym.js';
import { SignatureRequest } from './signature-request.js';
import { SignatureStateError } from './signature-state.error.js';
import { definitions, signatureEvents } from './signature.events.js';

const KEY = randomBytes(32);
const NOW = new Date('2026-01-01T12:00:00Z');
const occasion = { at: NOW, correlationId: 'correlation-1' };
const later = { at: new Date(NOW.getTime() + 61_000), correlationId: 'correlation-2' };
const HASH = `hmac-sha256:${'0'.repeat(64)}`;

const start = () =>
  SignatureRequest.start(
    {
      tenantId: randomUUID(),
      customer: CustomerPseudonym.of('ada', KEY),
      transactionContextHash: HASH,
      channel: 'PUSH',
      riskLevel: 'HIGH',
      ttlSeconds: 60,
    },
    occasion,
  );

/** All events of a request's possible lives. */
function lives(): DomainEvent[] {
  const wrong = start();
  wrong.challengeSent(HASH, 'gateway', occasion);
  wrong.providerFailed('gateway', occasion);
  wrong.answer(() => false, occasion);
  wrong.abort('CUSTOMER', occasion);
  const right = start();
  right.challengeSent(HASH, 'gateway', occasion);
  right.answer(() => true, occasion);
  const late = start();
  late.expire(later);
  const breaker = new CircuitBreakerOpened({ provider: 'gateway', failures: 3, openMs: 1 }, occasion);
  return [...wrong.takeEvents(), ...right.takeEvents(), ...late.takeEvents(), breaker];
}

describe('SignatureRequest', () => {
  it.each(Object.entries(definitions))(
    '[AC5] [AC6] [AC9] %s is a domain event that fits its definition',
    (_, definition) => {
      const event = lives().find(({ eventType }) => eventType === definition.type)!;
      expect(event).toMatchObject({
        eventId: expect.stringMatching(/^.{8}-.{4}-7/),
        tenantId: expect.any(String),
        aggregateId: expect.any(String),
        aggregateType: expect.stringMatching(/^(SignatureRequest|CircuitBreaker)$/),
        occurredAt: expect.any(Date),
        correlationId: expect.stringMatching(/^correlation-[12]$/),
      });
      expect(definition.schema!.safeParse(event.payload).error).toBeUndefined();
    },
  );

  it('[AC6] there are eight of them', () => {
    expect(new Set(lives().map(({ eventType }) => eventType))).toEqual(
      new Set(signatureEvents.map(({ type }) => type)),
    );
    expect(signatureEvents).toHaveLength(8);
  });

  it('[AC8] [AC9] an event has the correlation id of its occasion', () => {
    const request = start();
    request.abort('CUSTOMER', { ...occasion, correlationId: 'correlation-3' });
    expect(request.takeEvents().map(({ correlationId }) => correlationId)).toEqual(['correlation-1', 'correlation-3']);
    expect(request.takeEvents()).toEqual([]);
  });

  it('refuses the id of a customer where a pseudonym belongs', () => {
    expect(() => CustomerPseudonym.parse('ada')).toThrow('not the pseudonym of a customer');
    const { value } = CustomerPseudonym.of('ada', KEY);
    expect(CustomerPseudonym.parse(value).value).toBe(value);
    const [created] = start().takeEvents();
    const payload = { ...created!.payload, customerId: 'ada' };
    expect(definitions.signatureRequestCreated.schema!.safeParse(payload).success).toBe(false);
  });

  const closings: [string, (request: SignatureRequest) => void][] = [
    ['completed', (request) => request.answer(() => true, occasion)],
    ['aborted', (request) => request.abort('CUSTOMER', occasion)],
    ['expired', (request) => request.expire(later)],
  ];
  it.each(closings)('lets nothing more happen to one that is %s', (status, close) => {
    const request = start();
    request.challengeSent(HASH, 'gateway', occasion);
    close(request);
    request.takeEvents();
    for (const attempt of [
      () => request.challengeSent(HASH, 'gateway', occasion),
      () => request.answer(() => true, occasion),
      () => request.abort('CUSTOMER', occasion),
      () => request.expire(later),
    ]) {
      expect(attempt).toThrow(SignatureStateError);
    }
    expect(request.state).toMatchObject({ status: status.toUpperCase(), codeHash: null });
    expect(request.takeEvents()).toEqual([]);
  });

  it('expires when it is due and not before', () => {
    const request = start();
    expect(() => request.expire(occasion)).toThrow('not due');
    expect(() => request.answer(() => true, later)).toThrow('expired already');
    request.expire(later);
    expect(request.state.status).toBe('EXPIRED');
  });
});
