import type { EntityManager } from '@mikro-orm/postgresql';
import { Logger } from '@nestjs/common';
import { namesOf } from './statement-names.js';

/** Time limits for a statement of the hot path, for a connection from the pool, and for an upkeep statement. */
export const STATEMENT_MS = 6_000;
export const CONNECT_MS = 6_000;
export const UPKEEP_STATEMENT_MS = 300_000;

export interface Statement {
  name?: string;
  text: string;
  values: readonly unknown[];
}

/** The required part of a pool connection; the driver is MikroORM's. */
export interface Connection {
  /** Sends statements without waiting for earlier answers. */
  pipeline?: boolean;
  /** Process id of the server's backend, as announced at connect. */
  processID?: number | null;
  /** The driver's protocol layer; absent without a socket in JavaScript. */
  connection?: { stream?: { cork?(): void; uncork?(): void } };
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

/** The database did not answer in time. The connection is discarded, because its answer may never arrive. */
export class DeadlineExceededError extends Error {
  override readonly name = 'DeadlineExceededError';

  constructor(what: string, deadlineMs: number) {
    super(`timeout: ${what} within ${deadlineMs} ms`);
  }
}

const logger = new Logger('EngineConnection');

/** A connection from the host's pool, after the check whether it supports named statements. */
export async function connectEngine(em: EntityManager, deadlineMs = CONNECT_MS): Promise<Connection> {
  const connection = await takeConnection(em, deadlineMs);
  await answerWithin(connection, deadlineMs, () => namesOf(em.getConnection().getClient()).settled(connection));
  return connection;
}

/** A connection that arrives after the deadline is released. */
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

/** Returns a connection to the pool. `LostConnections` may already have released a lost one. */
export function releaseConnection(connection: Connection, isBroken = false): void {
  try {
    connection.release(isBroken);
  } catch {
    // The pool rejects only a second release, and that error would hide the caller's.
  }
}

/**
 * Waits for answers on a connection and closes it at the deadline. Does not wait for the close: a silent socket may
 * stay open.
 */
export async function answerWithin<T>(connection: Connection, deadlineMs: number, send: () => Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      logger.warn({ msg: 'the database did not answer in time; going on with another connection', deadlineMs });
      // With pipelining on, `end` would wait for the answers.
      connection.pipeline = false;
      void connection.end();
      reject(new DeadlineExceededError('no answer of the database', deadlineMs));
    }, deadlineMs);
  });
  return Promise.race([send(), tooLate]).finally(() => clearTimeout(timer));
}

export type Answer = PromiseSettledResult<QueryAnswer>;

/** `sendInOnePiece` with a deadline for all answers. */
export function sendTogether(
  connection: Connection,
  deadlineMs: number,
  statements: readonly (string | Statement)[],
  sent?: () => void,
): Promise<Answer[]> {
  return answerWithin(connection, deadlineMs, () => sendInOnePiece(connection, statements, sent));
}

/**
 * Sends statements with one system call, without waiting for earlier answers. After a failed one, the server rejects
 * the rest. Calls `sent` once they are written to the socket.
 */
export async function sendInOnePiece(
  connection: Connection,
  statements: readonly (string | Statement)[],
  sent?: () => void,
): Promise<Answer[]> {
  const socket = connection.connection?.stream;
  connection.pipeline = true;
  try {
    socket?.cork?.();
    let answers: Promise<QueryAnswer>[];
    try {
      answers = statements.map((statement) => connection.query(statement));
    } finally {
      socket?.uncork?.();
    }
    sent?.();
    return await Promise.allSettled(answers);
  } finally {
    connection.pipeline = false;
  }
}
