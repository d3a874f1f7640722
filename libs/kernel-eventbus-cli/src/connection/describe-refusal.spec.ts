import { describeRefusal } from './describe-refusal.js';

it.each([
  [
    {
      type: 'urn:kernel:problem:validation-failed',
      detail: 'the body is wrong',
      errors: [{ path: 'url', message: 'is no URL' }],
    },
    '400 validation-failed: the body is wrong; url: is no URL',
  ],
  [{ type: 'x', detail: 'url: is no URL', errors: [{ path: 'url', message: 'is no URL' }] }, '400 x: url: is no URL'],
  [{ title: 'Bad Request', traceId: 'abc' }, '400: Bad Request (trace abc)'],
])('says %j in one line', (problem, line) => {
  expect(describeRefusal(400, JSON.stringify(problem))).toBe(line);
});

it.each(['<html>', '', 'null', '"text"'])('says the status of what is no problem document: %s', (body) => {
  expect(describeRefusal(502, body)).toBe('502: the answer says no more');
});
