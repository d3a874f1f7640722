/** One change from PostgreSQL's `pgoutput`. */
export type LogicalMessage =
  { kind: 'insert'; table: string; row: Record<string, string | null> } | { kind: 'update' | 'delete' | 'truncate' };

interface Relation {
  name: string;
  columns: string[];
}

/** Protocol version 1: https://www.postgresql.org/docs/current/protocol-logicalrep-message-formats.html */
export function readPgoutput(messages: readonly Buffer[]): LogicalMessage[] {
  const relations = new Map<number, Relation>();
  return messages.flatMap((message): LogicalMessage[] => {
    const reader = new Reader(message);
    switch (String.fromCharCode(reader.byte())) {
      case 'R':
        relations.set(reader.int32(), readRelation(reader));
        return [];
      case 'I': {
        const { name, columns } = relations.get(reader.int32())!;
        return [{ kind: 'insert', table: name, row: readRow(reader, columns) }];
      }
      case 'U':
        return [{ kind: 'update' }];
      case 'D':
        return [{ kind: 'delete' }];
      case 'T':
        return [{ kind: 'truncate' }];
      default:
        return [];
    }
  });
}

function readRelation(reader: Reader): Relation {
  reader.text();
  const name = reader.text();
  reader.byte();
  const columns = Array.from({ length: reader.int16() }, () => {
    reader.byte();
    const column = reader.text();
    reader.int32();
    reader.int32();
    return column;
  });
  return { name, columns };
}

function readRow(reader: Reader, columns: string[]): Record<string, string | null> {
  // 'N' for the new row.
  reader.byte();
  reader.int16();
  return Object.fromEntries(
    columns.map((column) => [column, String.fromCharCode(reader.byte()) === 't' ? reader.take(reader.int32()) : null]),
  );
}

class Reader {
  #at = 0;

  constructor(private readonly bytes: Buffer) {}

  byte(): number {
    return this.bytes.readUInt8(this.#at++);
  }

  int16(): number {
    this.#at += 2;
    return this.bytes.readInt16BE(this.#at - 2);
  }

  int32(): number {
    this.#at += 4;
    return this.bytes.readInt32BE(this.#at - 4);
  }

  take(length: number): string {
    this.#at += length;
    return this.bytes.toString('utf8', this.#at - length, this.#at);
  }

  /** Up to its closing zero. */
  text(): string {
    const text = this.take(this.bytes.indexOf(0, this.#at) - this.#at);
    this.#at++;
    return text;
  }
}
