import { type ProblemException } from '@kernel/http';
import { MAX_BODY_VALUES, vetBody } from './vet-body.js';

function problemOf(body: unknown): ProblemException['facts'] | undefined {
  try {
    vetBody(body, { maxPayloadBytes: 1_000, maxPayloadDepth: 3 });
    return undefined;
  } catch (error) {
    return (error as ProblemException).facts;
  }
}

describe('vetBody', () => {
  it.each([
    ['{"__proto__":1}', '__proto__'],
    ['{"headers":{"a":1,"__proto__":{"b":1}}}', 'headers.__proto__'],
    ['{"rules":[{"path":"$.a"},{"__proto__":null}]}', 'rules.1.__proto__'],
    ['{"payload":{"a":[{"__proto__":null}]}}', 'payload.a.0.__proto__'],
  ])('refuses a member called __proto__ in %s', (json, path) => {
    expect(problemOf(JSON.parse(json))).toMatchObject({ status: 400, errors: [{ path }] });
  });

  it.each(['{"a":"__proto__","constructor":1,"proto":{}}', 'null', '5', '[]'])('takes %s', (json) => {
    expect(problemOf(JSON.parse(json))).toBeUndefined();
  });

  it('goes to any depth, and tells little of it', () => {
    let body: unknown = JSON.parse('{"__proto__":1}');
    for (let depth = 0; depth < 10_000; depth += 1) {
      body = { a: body };
    }
    const [error] = problemOf(body)!.errors!;
    expect(error!.path).toMatch(/^a\.a\./);
    expect(error!.path.length).toBeLessThan(300);
  });

  it.each<[string, (values: unknown[]) => unknown]>([
    ['in a list', (values) => ({ rules: values })],
    ['in many lists', (values) => ({ rules: values.map(() => []) })],
    ['below a payload that is no field of the body', (values) => ({ filter: { payload: values } })],
  ])('refuses more values than any route takes, %s', (_, bodyOf) => {
    expect(problemOf(bodyOf(Array<unknown>(MAX_BODY_VALUES - 2).fill(1)))).toBeUndefined();
    expect(problemOf(bodyOf(Array<unknown>(MAX_BODY_VALUES).fill(1)))?.detail).toBe(
      'the body has more than 30000 values besides payload',
    );
  });

  it('refuses an object with more fields than any has, and says how many', () => {
    const members = Object.fromEntries(Array.from({ length: 1_001 }, (_, n) => [n, 1]));
    expect(problemOf({ headers: members })).toMatchObject({
      errors: [{ path: 'headers', message: 'has 1001 fields; at most 1000 are allowed' }],
    });
    expect(problemOf(members)?.detail).toBe('has 1001 fields; at most 1000 are allowed');
  });

  it.each<[string, unknown]>([
    ['members', Object.fromEntries(Array.from({ length: 201 }, (_, n) => [n, 1]))],
    ['elements', { list: Array(501).fill(1) }],
    ['elements of elements', { list: [Array(400).fill(1), Array(200).fill(1)] }],
  ])('refuses a payload with more %s than its bytes have room for', (_, payload) => {
    expect(problemOf({ payload })).toMatchObject({
      errors: [{ path: 'payload', message: 'has more than 1000 bytes (option maxPayloadBytes)' }],
    });
  });

  it('refuses no payload that publish would take', () => {
    const members = Object.fromEntries(Array.from({ length: 100 }, (_, n) => [String.fromCharCode(200 + n), 1]));
    expect(problemOf({ payload: members })).toBeUndefined();
    expect(problemOf({ payload: { '': Array(490).fill(1) } })).toBeUndefined();
    expect(problemOf({ payload: { a: { b: [1] } } })).toBeUndefined();
  });

  it('refuses a payload that is too deep', () => {
    expect(problemOf({ payload: { a: { b: [{}] } } })).toMatchObject({
      errors: [{ path: 'payload', message: 'is nested deeper than 3 (option maxPayloadDepth)' }],
    });
    expect(problemOf({ filter: { a: { b: [{}] } } })).toBeUndefined();
  });
});
