import { hashOf } from './key-hash.js';

describe('the hash of a key', () => {
  // From the tests of Apache Kafka: UtilsTest.testMurmur2.
  it.each([
    ['21', -973_932_308],
    ['foobar', -790_332_482],
    ['a-little-bit-long-string', -985_981_536],
    ['abc', 479_470_107],
  ])("of %j is Java's, made positive as Java does", (key, murmur2) => {
    expect(hashOf(Buffer.from(key))).toBe(murmur2 & 0x7fff_ffff);
  });
});
