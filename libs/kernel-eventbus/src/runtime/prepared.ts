import { hash } from 'node:crypto';
import { CompiledQuery, type Kysely, type RawBuilder } from 'kysely';

type Value = string | number | boolean | null;

/** Runs the statement with a value for each of its names. */
export type Prepared<Name extends string, Row> = (db: Kysely<unknown>, values: Record<Name, Value>) => Promise<Row[]>;

/** What stands for a parameter in the text of a statement, or text to be put in as it is. */
type Hole<Name extends string> = Name | { text: string };

let isNaming = true;

/** False behind a pooler that hands a session from transaction to transaction and carries no prepared statements. */
export function nameStatements(isWanted: boolean): void {
  isNaming = isWanted;
}

/**
 * A statement whose text never changes, with parameters by name: prepared<'limit', Row>`select ... limit ${'limit'}`.
 * It goes out under a name, so that each connection parses and plans it once, which for the statements of the hot path takes
 * longer than running them.
 */
export function prepared<Name extends string, Row = never>(
  strings: TemplateStringsArray,
  ...holes: Hole<Name>[]
): Prepared<Name, Row> {
  const names: Name[] = [];
  const text = strings.reduce((before, string, place) => before + placeholder(holes[place - 1]!, names) + string);
  const named = nameOf(text);
  return (db, values) => {
    const parameters = names.map((name) => values[name]);
    return execute(db, CompiledQuery.raw(text, parameters) as CompiledQuery<Row>, named);
  };
}

function placeholder<Name extends string>(hole: Hole<Name>, names: Name[]): string {
  if (typeof hole !== 'string') {
    return hole.text;
  }
  const known = names.indexOf(hole);
  return `$${known >= 0 ? known + 1 : names.push(hole)}`;
}

const composed = new Map<string, NamedStatement>();

/** The same for a statement that is put together of parts, always to the same text. */
export function executePrepared<Row>(db: Kysely<unknown>, statement: RawBuilder<Row>): Promise<Row[]> {
  const query = statement.compile(db);
  let named = composed.get(query.sql);
  if (!named) {
    named = nameOf(query.sql);
    composed.set(query.sql, named);
  }
  return execute(db, query, named);
}

interface NamedStatement {
  name: string;
  text: string;
}

function nameOf(text: string): NamedStatement {
  return { name: `kernel_${hash('sha256', text, 'hex').slice(0, 16)}`, text };
}

/** Kysely knows no names, but hands `sql` to `pg` as it is, and `pg` takes an object there. */
async function execute<Row>(db: Kysely<unknown>, query: CompiledQuery<Row>, named: NamedStatement): Promise<Row[]> {
  const { rows } = await db.executeQuery(isNaming ? { ...query, sql: named as unknown as string } : query);
  return rows;
}
