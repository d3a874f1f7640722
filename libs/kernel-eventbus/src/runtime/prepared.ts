import { hash } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import { CompiledQuery, type Kysely, type RawBuilder } from 'kysely';
import { executeHot, type Statement } from './hot-statement.js';
import { namesOf } from './statement-names.js';

const IN_FAILED_TRANSACTION = '25P02';

type Value = string | number | boolean | null;

/** Runs the statement with a value for each of its names. */
export interface Prepared<Name extends string, Row> {
  (db: Kysely<unknown>, values: Record<Name, Value>): Promise<Row[]>;
  /** The same in a round trip and transaction of its own. */
  alone(em: EntityManager, values: Record<Name, Value>, settings?: string): Promise<Row[]>;
  /** What to send, for whoever sends it in a way of their own. */
  bind(values: Record<Name, Value>): Statement;
}

/** What stands for a parameter in the text of a statement, or text to be put in as it is, or a part with parameters of its own. */
type Hole<Name extends string> = Name | { text: string } | Part<Name>;

export interface Part<Name extends string> {
  strings: TemplateStringsArray;
  holes: Hole<Name>[];
}

/** A part of several statements: part<'limit'>`limit ${'limit'}`. */
export function part<Name extends string>(strings: TemplateStringsArray, ...holes: Hole<Name>[]): Part<Name> {
  return { strings, holes };
}

/**
 * A statement whose text never changes, with parameters by name: prepared<'limit', Row>`select ... limit ${'limit'}`.
 * It goes out under a name where the connection can keep it, so that each connection parses and plans it once, which for the statements of the hot path takes
 * longer than running them.
 */
export function prepared<Name extends string, Row = never>(
  strings: TemplateStringsArray,
  ...holes: Hole<Name>[]
): Prepared<Name, Row> {
  const names: Name[] = [];
  const text = textOf({ strings, holes }, names);
  const named = nameOf(text);
  const parametersOf = (values: Record<Name, Value>) => names.map((name) => values[name]);
  const bind = (values: Record<Name, Value>): Statement => ({ ...named, values: parametersOf(values) });
  return Object.assign(
    (db: Kysely<unknown>, values: Record<Name, Value>) =>
      execute(db, CompiledQuery.raw(text, parametersOf(values)) as CompiledQuery<Row>, named),
    {
      alone: (em: EntityManager, values: Record<Name, Value>, settings?: string) =>
        executeHot<Row>(em, bind(values), settings),
      bind,
    },
  );
}

function textOf<Name extends string>({ strings, holes }: Part<Name>, names: Name[]): string {
  return strings.reduce((before, string, place) => before + placeholder(holes[place - 1]!, names) + string);
}

function placeholder<Name extends string>(hole: Hole<Name>, names: Name[]): string {
  if (typeof hole !== 'string') {
    return 'text' in hole ? hole.text : textOf(hole, names);
  }
  const known = names.indexOf(hole);
  return `$${known >= 0 ? known + 1 : names.push(hole)}`;
}

const composed = new Map<string, NamedStatement>();

/** The same for a statement that is put together of parts, always to the same text. */
export function executePrepared<Row>(db: Kysely<unknown>, statement: RawBuilder<Row>): Promise<Row[]> {
  const query = statement.compile(db);
  return execute(db, query, namedOnce(query.sql));
}

/** The same, in a round trip and transaction of its own. */
export function executeAlone<Row>(em: EntityManager, statement: RawBuilder<Row>): Promise<Row[]> {
  const { sql: text, parameters } = statement.compile(em.getKysely());
  return executeHot<Row>(em, { ...namedOnce(text), values: parameters });
}

function namedOnce(text: string): NamedStatement {
  let named = composed.get(text);
  if (!named) {
    named = nameOf(text);
    composed.set(text, named);
  }
  return named;
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
  const names = namesOf(db);
  if (!names.areUsed) {
    return (await db.executeQuery(query)).rows;
  }
  try {
    return (await db.executeQuery<Row>({ ...query, sql: named as unknown as string })).rows;
  } catch (error) {
    if (!names.giveUpAfter(error)) {
      throw error;
    }
    return executeAgain(db, query, error);
  }
}

/** A transaction is over after the first failure, whose it then is. */
async function executeAgain<Row>(db: Kysely<unknown>, query: CompiledQuery<Row>, failure: unknown): Promise<Row[]> {
  try {
    return (await db.executeQuery(query)).rows;
  } catch (error) {
    throw (error as { code?: unknown }).code === IN_FAILED_TRANSACTION ? failure : error;
  }
}
