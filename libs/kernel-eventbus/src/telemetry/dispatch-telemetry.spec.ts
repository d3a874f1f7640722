import { v4 as uuidv4, v7 as uuidv7 } from 'uuid';
import { dispatchTelemetry, type DispatchFacts } from './dispatch-telemetry.js';

const createdAt = new Date('2026-11-16T10:00:00.000Z');
const event = {
  eventId: uuidv7({ msecs: createdAt.getTime() }),
  type: 'artifact.published.v1',
  occurredAt: '2026-11-16T09:00:00.000Z',
  attributesJson: '{"pipelineId":"run-7","attempt":99,"secretive":1}',
};
const facts: DispatchFacts = {
  isSuccess: true,
  attempt: 2,
  duplicateDetected: false,
  now: new Date('2026-11-16T10:00:01.500Z'),
  attributeNames: ['pipelineId', 'attempt', 'missing'],
};

describe('the telemetry of a dispatch', () => {
  it('[KFM-9] has every field, and of the attributes those that were asked for', () => {
    expect(dispatchTelemetry(event, facts)).toEqual({
      outboxId: event.eventId,
      pipelineId: 'run-7',
      missing: null,
      eventName: 'artifact.published.v1',
      dispatchStatus: 'success',
      attempt: 2,
      latencyMs: 1_500,
      duplicateDetected: false,
    });
  });

  it('[KFM-9] counts from when the event occurred where its id tells no time, and never below zero', () => {
    const foreign = { ...event, eventId: uuidv4() };
    expect(dispatchTelemetry(foreign, facts).latencyMs).toBe(3_601_500);
    expect(dispatchTelemetry(event, { ...facts, now: new Date(0) }).latencyMs).toBe(0);
  });
});
