import { checkTemplate, topicOf } from './topic-template.js';

const parts = { tenantId: '0198c0de-0000-7000-8000-000000000001', type: 'order.placed.v1' };

describe('the template of a topic', () => {
  it.each([
    ['orders', 'orders'],
    ['{tenantId}', parts.tenantId],
    ['all.{type}_{tenantId}', `all.order.placed.v1_${parts.tenantId}`],
    ['{type}-{type}', 'order.placed.v1-order.placed.v1'],
  ])('%s makes %s', (template, topic) => {
    expect(checkTemplate(template)).toBeUndefined();
    expect(topicOf(template, parts)).toBe(topic);
  });

  it.each(['', '.', '..', 'a/b', 'a b', '{stream}', '{tenantid}', 'a{', 'ü', 'x'.repeat(250)])(
    '%j is none',
    (template) => {
      expect(checkTemplate(template)).toMatch(/letters, digits/);
    },
  );

  it.each(['order placed', '', '../etc', 'x'.repeat(250), '$&'])('a type like %j makes no topic', (type) => {
    expect(topicOf('{type}', { ...parts, type })).toBeUndefined();
  });
});
