#!/usr/bin/env node
// Verifies an export of the ledger (GET /admin/eventbus/audit/export) without the database, the application or any
// package.
import { Buffer } from 'node:buffer';
import { createHash, createPublicKey, verify } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { parseArgs } from 'node:util';

const USAGE = 'usage: verify-export.mjs <export.ndjson> [--key <public key>] [--anchor <batch number>:<seal>]';

class Broken extends Error {}

const { path, values } = readArguments();

try {
  const check = await checkFile(path);
  console.log(
    `intact: ${check.sealed} entries under ${check.last?.batchNumber ?? 0} seals; ${check.unsealed} entries are not sealed yet`,
  );
  console.log(`head ${check.last ? `${check.last.batchNumber}:${check.last.seal}` : 'none'}`);
  if (!values.key) {
    console.log(
      `verified with the key that the export itself names: compare it, or give it by --key ${check.publicKey}`,
    );
  }
} catch (error) {
  console.error(error instanceof Broken ? `BROKEN: ${error.message}` : `cannot verify: ${error.message}`);
  process.exit(error instanceof Broken ? 1 : 2);
}

/** A mistyped argument must not pass for a verified ledger. */
function readArguments() {
  try {
    const { values, positionals } = parseArgs({
      options: { key: { type: 'string' }, anchor: { type: 'string' } },
      allowPositionals: true,
    });
    if (positionals.length !== 1) {
      throw new Error('name one file');
    }
    if (values.anchor !== undefined && !/^[1-9]\d*:[A-Za-z0-9+/]+={0,2}$/.test(values.anchor)) {
      throw new Error(`'${values.anchor}' is no anchor: write a batch number, a colon and its seal, like 17:q83v...`);
    }
    return { path: positionals[0], values };
  } catch (error) {
    console.error(`${error.message}\n${USAGE}`);
    process.exit(2);
  }
}

async function checkFile(path) {
  const check = newCheck();
  for await (const line of linesOf(path)) {
    const content = JSON.parse(line.toString());
    const part = content.line ?? 'entry';
    if (!Object.hasOwn(check.next, part)) {
      throw new Broken(`a line '${part}' stands where none belongs`);
    }
    check.next[part](content, line);
  }
  if (!check.isWhole) {
    throw new Broken('the export ends before its head: it is not whole');
  }
  return check;
}

/** `next` holds the handlers of the lines that may come next. */
function newCheck() {
  const [anchorNumber, anchorSeal] = values.anchor?.split(':') ?? [];
  const check = { sealed: 0, unsealed: 0, last: undefined, publicKey: undefined, isWhole: false };
  let key;
  let present = [];
  const closeBatch = () => {
    if (check.last) {
      compare(check.last, present);
      check.sealed += present.length;
    }
    present = [];
  };
  const entry = ({ entryId }, line) => present.push({ entryId, hash: createHash('sha256').update(line).digest() });
  const seal = (content) => {
    closeBatch();
    checkSeal(key, content, check.last);
    if (String(content.batchNumber) === anchorNumber && content.seal !== anchorSeal) {
      throw new Broken(`seal ${content.batchNumber} is not the one of the anchor`);
    }
    check.last = content;
    check.next = { entry, seal, unsealed };
  };
  const unsealed = () => {
    closeBatch();
    check.next = { entry, head };
  };
  const head = (content) => {
    checkHead(key, content, check.last);
    if (Number(anchorNumber ?? 0) > (check.last?.batchNumber ?? 0)) {
      throw new Broken(`seal ${anchorNumber} of the anchor is gone`);
    }
    check.unsealed = present.length;
    check.isWhole = true;
    check.next = {};
  };
  const ledger = (content) => {
    check.publicKey = values.key ?? content.publicKey;
    key = createPublicKey({ key: Buffer.from(check.publicKey, 'base64'), format: 'der', type: 'spki' });
    check.next = { seal, unsealed };
  };
  check.next = { ledger };
  return check;
}

/** Bytes between line feeds. `readline` would also split at separators that may occur inside a JSON text. */
async function* linesOf(path) {
  let rest = Buffer.alloc(0);
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20 })) {
    rest = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk;
    let from = 0;
    for (let end = rest.indexOf(10); end >= 0; end = rest.indexOf(10, from)) {
      yield rest.subarray(from, end);
      from = end + 1;
    }
    rest = rest.subarray(from);
  }
  if (rest.length > 0) {
    throw new Broken('the export ends within a line: it is not whole');
  }
}

function checkSeal(key, seal, before) {
  const [ids, hashes] = [Buffer.from(seal.entryIds, 'base64'), Buffer.from(seal.entryHashes, 'base64')];
  const message = JSON.stringify([
    'kernel-ledger-seal/1',
    seal.batchNumber,
    seal.fromTime,
    seal.toTime,
    seal.entryCount,
    sha256(ids),
    sha256(hashes),
    Buffer.from(seal.previousSeal, 'base64').toString('hex'),
  ]);
  const expected = { number: (before?.batchNumber ?? 0) + 1, from: before?.toTime ?? '-infinity' };
  const isNext =
    seal.batchNumber === expected.number &&
    seal.fromTime === expected.from &&
    seal.previousSeal === (before?.seal ?? '') &&
    ids.length === seal.entryCount * 16 &&
    hashes.length === seal.entryCount * 32;
  if (!isNext) {
    throw new Broken(`seal ${expected.number} is gone or does not follow the one before it`);
  }
  if (!verify(null, Buffer.from(message), key, Buffer.from(seal.seal, 'base64'))) {
    throw new Broken(`seal ${seal.batchNumber} is not signed by the key`);
  }
}

function checkHead(key, head, last) {
  if (head.batchNumber === undefined && !last) {
    return;
  }
  const message = JSON.stringify(['kernel-ledger-head/1', head.batchNumber, toHex(head.seal ?? '')]);
  const isSigned = verify(null, Buffer.from(message), key, Buffer.from(head.signature ?? '', 'base64'));
  if (!isSigned || head.batchNumber !== last?.batchNumber || head.seal !== last.seal) {
    throw new Broken(
      'the seals do not end where the head says: the last are gone, or the head is not signed by the key',
    );
  }
}

function compare(seal, present) {
  const [ids, hashes] = [Buffer.from(seal.entryIds, 'base64'), Buffer.from(seal.entryHashes, 'base64')];
  const sealed = Array.from({ length: seal.entryCount }, (_, place) => ({
    entryId: uuid(ids.subarray(place * 16, place * 16 + 16)),
    hash: hashes.subarray(place * 32, place * 32 + 32),
  }));
  const isPresent = new Set(present.map(({ entryId }) => entryId));
  const wasSealed = new Set(sealed.map(({ entryId }) => entryId));
  for (let place = 0; place < Math.max(sealed.length, present.length); place += 1) {
    const [expected, found] = [sealed[place], present[place]];
    if (expected && !isPresent.has(expected.entryId)) {
      throw new Broken(`entry ${expected.entryId} was removed (seal ${seal.batchNumber})`);
    }
    if (expected?.entryId !== found.entryId) {
      const what = wasSealed.has(found.entryId) ? 'reordered' : 'inserted';
      throw new Broken(`entry ${found.entryId} was ${what} (seal ${seal.batchNumber})`);
    }
    if (!expected.hash.equals(found.hash)) {
      throw new Broken(`entry ${expected.entryId} was altered (seal ${seal.batchNumber})`);
    }
  }
}

function uuid(bytes) {
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

function toHex(base64) {
  return Buffer.from(base64, 'base64').toString('hex');
}

function sha256(bytes) {
  return createHash('sha256').update(bytes).digest('hex');
}
