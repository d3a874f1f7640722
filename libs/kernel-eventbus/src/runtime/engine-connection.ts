import type { EntityManager } from '@mikro-orm/postgresql';
import { Logger } from '@nestjs/common';
import { namesOf } from './statement-names.js';

/** Time for an answer of a statement of the hot path, for a connection of the pool, and for one of upkeep, which may take long. */
export const STATEMENT_MS = 6_000;
export const CONNECT_MS = 6_000;
export const UPKEEP_STATEMENT_MS = 300_000;

export interface Statement {
  name?: string;
  text: string;
  values: readonly unknown[];
}

/** What is needed of a connection of the pool; the driver behind it is MikroORM's. */
export interface Connection {
  /** Sends what follows without waiting for answers. */
  pipeline?: boolean;
  /** Of the process at the other end, as it introduced itself. */
  processID?: number | null;
  query(statement: string | Statement): Promise<QueryAnswer>;
  query(text: string, values: readonly unknown[]): Promise<QueryAnswer>;
  release(destroy?: boolean): void;
  end(): Promise<void>;
}

export interface QueryAnswer {
  command: string;
  rowCount: number | null;
  rows: unknown[];
}

/** The database did not answer in time. Its connection is given up: the answer may never come. */
export class DeadlineExceededError extends Error {
  override readonly name = 'DeadlineExceededError';

  constructor(what: string, deadlineMs: number) {
    super(`timeout: ${what} within ${deadlineMs} ms`);
  }
}

const logger = new Logger('EngineConnection');

/** A connection of the host's pool, of which it is known whether its statements may have names. */
export async function connectEngine(em: EntityManager, deadlineMs = CONNECT_MS): Promise<Connection> {
  const connection = await takeConnection(em, deadlineMs);
  await answerWithin(connection, deadlineMs, () => namesOf(em.getConnection().getClient()).settled(connection));
  return connection;
}

/** One that comes too late goes back. */
async function takeConnection(em: EntityManager, deadlineMs: number): Promise<Connection> {
  const pool = await em.getConnection().getNativeClient();
  const connecting: Promise<Connection> = pool.connect();
  let timer: NodeJS.Timeout | undefined;
  let isLate = false;
  const tooLate = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      isLate = true;
      reject(new DeadlineExceededError('no connection of the pool', deadlineMs));
    }, deadlineMs);
  });
  connecting.then(
    (connection) => isLate && releaseConnection(connection),
    () => undefined,
  );
  return Promise.race([connecting, tooLate]).finally(() => clearTimeout(timer));
}

/** Gives a connection back to the pool. One that was lost may have been given back already, by `LostConnections`. */
export function releaseConnection(connection: Connection, isBroken = false): void {
  try {
    connection.release(isBroken);
  } catch {
    // The pool refuses nothing but a second release. It would hide what the caller has to hear.
  }
}

/**
 * Waits for answers on a connection. When none comes in time, the connection is closed. It does not wait for that: a socket that has gone
 * silent may stay open.
 */
export async function answerWithin<T>(connection: Connection, deadlineMs: number, send: () => Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      logger.warn({ msg: 'the database did not answer in time; going on with another connection', deadlineMs });
      // A pipeline would wait for its answers before it ends.
      connection.pipeline = false;
      void connection.end();
      reject(new DeadlineExceededError('no answer of the database', deadlineMs));
    }, deadlineMs);
  });
  return Promise.race([send(), tooLate]).finally(() => clearTimeout(timer));
}
