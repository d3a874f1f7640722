import { randomUUID } from 'node:crypto';
import { defineEvent } from '../../src/envelope/define-event.js';
import { MisclassifiedEventError } from '../../src/eventbus.errors.js';
import { type EventPrivacy } from '@kernel/eventbus';
import { type PublishableEvent } from '../../src/envelope/publishable-event.js';
import { InvalidEventPrivacyError } from '@kernel/privacy';
import { describeProblem } from '@kernel/http';
import { startKernelApp, type KernelApp } from '@kernel/test-support/kernel-app';

const Surveyed = defineEvent({
  type: 'well.surveyed.v1',
  privacy: {
    forbidden: ['$.owner.ssn', '$.visits[*].home'],
    labels: ['$.careLabel'],
    requiredAttributes: ['careLabel', 'sovereignty'],
  },
});

const attributes = { careLabel: 'restricted', sovereignty: 'Kaw Nation' };

describe('publish, of a type whose data is classified', () => {
  let kernel: KernelApp;
  beforeAll(async () => {
    kernel = await startKernelApp({ role: 'api', events: [Surveyed] });
  });
  afterAll(() => kernel.close());

  const publish = (event: Partial<PublishableEvent>) =>
    kernel.em
      .fork()
      .transactional((em) =>
        kernel.outbox.publish(
          { type: Surveyed.type, tenantId: randomUUID(), streamKey: 'well:1', traceId: 'trace-0001', ...event },
          { em },
        ),
      );
  const countEvents = async () => (await kernel.database.query('select from kernel_outbox_event')).length;

  it('[KFM-7] takes an event that has its labels and nothing that is forbidden', async () => {
    const payload = { careLabel: 'restricted', owner: { name: 'Ada' }, visits: [{ at: 1 }] };
    expect(await publish({ payload, attributes })).toMatchObject({ payload });
  });

  it.each<[string, Partial<PublishableEvent>, string[]]>([
    [
      '[KFM-12] a forbidden field',
      { payload: { careLabel: 'x', owner: { ssn: 'sentinel' } }, attributes },
      ['payload.owner.ssn'],
    ],
    [
      '[KFM-12] a forbidden field in an array',
      { payload: { careLabel: 'x', visits: [{}, { home: 'sentinel' }] }, attributes },
      ['payload.visits[*].home'],
    ],
    [
      '[KFM-12] a forbidden field that appears when it is written',
      { payload: { careLabel: 'x', owner: { toJSON: () => ({ ssn: 'sentinel' }) } }, attributes },
      ['payload.owner.ssn'],
    ],
    [
      '[KFM-12] an array where a forbidden path has an object',
      { payload: { careLabel: 'x', owner: [{ ssn: 'sentinel' }] }, attributes },
      ['payload.owner.ssn'],
    ],
    [
      '[KFM-12] an object where a forbidden path has an array',
      { payload: { careLabel: 'x', visits: { home: 'sentinel' } }, attributes },
      ['payload.visits[*].home'],
    ],
    [
      '[KFM-12] a text where a forbidden path leads on',
      { payload: { careLabel: 'x', owner: '{"ssn":"sentinel"}' }, attributes },
      ['payload.owner.ssn'],
    ],
    ['[KFM-7] no label', { payload: { other: 'sentinel' }, attributes }, ['payload.careLabel']],
    ['[KFM-7] no payload', { attributes }, ['payload.careLabel']],
    [
      '[KFM-7] an attribute missing and one empty',
      { payload: { careLabel: 'x' }, attributes: { careLabel: '' } },
      ['attributes.careLabel', 'attributes.sovereignty'],
    ],
    [
      'everything wrong',
      { payload: { owner: { ssn: 'sentinel' } }, attributes: { sovereignty: 'sentinel' } },
      ['payload.owner.ssn', 'payload.careLabel', 'attributes.careLabel'],
    ],
  ])('refuses %s, names each place and no value, and writes nothing', async (_, event, paths) => {
    const before = await countEvents();
    const error = await publish(event).catch((fault: unknown) => fault as MisclassifiedEventError);
    expect(error).toBeInstanceOf(MisclassifiedEventError);
    expect(error).toMatchObject({ code: 'EVENT_MISCLASSIFIED', message: expect.stringContaining(Surveyed.type) });
    expect((error as MisclassifiedEventError).issues.map(({ path }) => path)).toEqual(paths);
    expect((error as MisclassifiedEventError).message).not.toContain('sentinel');
    expect(describeProblem(error)).toMatchObject({ status: 400, code: 'validation-failed' });
    expect(await countEvents()).toBe(before);
  });

  it('asks nothing of other types', async () => {
    const payload = { owner: { ssn: '1' } };
    expect(await publish({ type: 'other.v1', payload })).toMatchObject({ payload });
  });
});

it('a declaration that cannot be applied stops the start and names the type', async () => {
  const privacy: EventPrivacy = { forbidden: ['$..ssn'] };
  const start = startKernelApp({ role: 'api', events: [defineEvent({ type: 'bad.v1', privacy })] });
  await expect(start).rejects.toThrow(InvalidEventPrivacyError);
  await expect(start).rejects.toThrow(/"bad.v1" .*\n?.*"\$\.\.ssn" is not understood/);
});
