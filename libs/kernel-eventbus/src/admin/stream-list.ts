import { Readable } from 'node:stream';
import { StreamableFile } from '@nestjs/common';
import type { z } from 'zod';
import { LoopTurns } from '../runtime/loop-turns.js';

interface ListedItems {
  /** Made one by one, as far as the answer shows them. */
  items: AsyncIterable<unknown>;
  schema: z.ZodType;
  /** Of all items as JSON. The first is shown in any case. */
  maxBytes: number;
}

/**
 * An answer that is an object with a list of many large items. Each is made and written on its own, and the event loop turns in between:
 * at once, they would hold it for as long as all of them take. `isCut` says that the list has no room for more.
 */
export async function streamList(
  head: Record<string, unknown>,
  { items, schema, maxBytes }: ListedItems,
): Promise<StreamableFile> {
  const turns = new LoopTurns();
  const texts: string[] = [];
  let bytes = 0;
  let isCut = false;
  for await (const item of items) {
    await turns.nextIfDue();
    const text = JSON.stringify(schema.parse(item));
    bytes += Buffer.byteLength(text);
    isCut = texts.length > 0 && bytes > maxBytes;
    if (isCut) {
      break;
    }
    texts.push(text);
  }
  // What made the last item may have taken all of this turn.
  await turns.next();
  const pieces = toPieces({ ...head, ...(isCut && { isCut }) }, texts, turns);
  return new StreamableFile(Readable.from(pieces), { type: 'application/json; charset=utf-8' });
}

async function* toPieces(
  head: Record<string, unknown>,
  texts: readonly string[],
  turns: LoopTurns,
): AsyncGenerator<string> {
  yield JSON.stringify({ ...head, items: [] }).slice(0, -2);
  for (const [place, text] of texts.entries()) {
    await turns.nextIfDue();
    yield `${place > 0 ? ',' : ''}${text}`;
  }
  yield ']}';
}
