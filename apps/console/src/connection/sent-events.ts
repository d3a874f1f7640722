export interface SentEvent {
  event: string;
  data: string;
}

/** Parses server-sent events from text in chunks of any size. Comments are dropped. */
export class SentEventReader {
  #rest = '';

  read(piece: string): SentEvent[] {
    const blocks = (this.#rest + piece).replaceAll('\r\n', '\n').split('\n\n');
    this.#rest = blocks.pop()!;
    return blocks.map(toEvent).filter((event) => event !== undefined);
  }
}

function toEvent(block: string): SentEvent | undefined {
  let event = 'message';
  const data: string[] = [];
  for (const line of block.split('\n')) {
    const [, name, value] = /^(\w+): ?(.*)$/.exec(line) ?? [];
    if (name === 'event') event = value!;
    if (name === 'data') data.push(value!);
  }
  return data.length > 0 ? { event, data: data.join('\n') } : undefined;
}
