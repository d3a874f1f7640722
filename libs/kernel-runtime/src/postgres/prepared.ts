import { hash } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import { CompiledQuery, type Kysely, type RawBuilder } from 'kysely';
import { executeHot, type Statement } from './hot-statement.js';
import { namesOf } from './statement-names.js';

const IN_FAILED_TRANSACTION = '25P02';

type Value = string | number | boolean | null;

/** Runs the statement with its named parameters. */
export interface Prepared<Name extends string, Row> {
  (db: Kysely<unknown>, values: Record<Name, Value>): Promise<Row[]>;
  /** Runs it in its own transaction, in one round trip. */
  alone(em: EntityManager, values: Record<Name, Value>, settings?: string): Promise<Row[]>;
  /** The statement with its values, for callers that send it themselves. */
  bind(values: Record<Name, Value>): Statement;
}

/** A parameter name, literal text, or a part with its own parameters. */
type Hole<Name extends string> = Name | { text: string } | Part<Name>;

export interface Part<Name extends string> {
  strings: TemplateStringsArray;
  holes: Hole<Name>[];
}

/** A fragment shared by several statements: part<'limit'>`limit ${'limit'}`. */
export function part<Name extends string>(strings: TemplateStringsArray, ...holes: Hole<Name>[]): Part<Name> {
  return { strings, holes };
}

/**
 * A constant statement with named parameters: prepared<'limit', Row>`select ... limit ${'limit'}`. Sent as a named
 * statement where possible, so that each connection parses and plans it once: on the hot path, that takes longer than
 * running it.
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

/** Runs a statement composed of parts that always yield the same text. */
export function executePrepared<Row>(db: Kysely<unknown>, statement: RawBuilder<Row>): Promise<Row[]> {
  const query = statement.compile(db);
  return execute(db, query, namedOnce(query.sql));
}

/** `executePrepared` in its own transaction, in one round trip. */
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

/** Kysely has no named statements, but passes `sql` unchanged to `pg`, which accepts an object there. */
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

/** If the first failure has aborted the transaction, it is the error to report. */
async function executeAgain<Row>(db: Kysely<unknown>, query: CompiledQuery<Row>, failure: unknown): Promise<Row[]> {
  try {
    return (await db.executeQuery(query)).rows;
  } catch (error) {
    throw (error as { code?: unknown }).code === IN_FAILED_TRANSACTION ? failure : error;
  }
}
