import { Readable } from 'node:stream';
import { StreamableFile } from '@nestjs/common';
import type { z } from 'zod';
import { LoopTurns } from '@kernel/runtime';

interface ListedItems {
  /** Produced one by one, up to the size limit. */
  items: AsyncIterable<unknown>;
  schema: z.ZodType;
  /** Limit of all items as JSON. The first item is always included. */
  maxBytes: number;
}

/**
 * A response object with a list of many large items. Items are produced and serialized one at a time and yield to the
 * event loop in between; all at once they would block it. `isCut` marks a list that reached its limit.
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
  // The last item may have used up this turn.
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
