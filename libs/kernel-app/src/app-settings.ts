import type { DestinationStream, LevelWithSilent } from 'pino';

/** Settings that every app on the event bus has. */
export abstract class AppSettings {
  abstract readonly databaseUrl: string;
  /** A role set on every connection, if the URL's user has more rights than the app needs. */
  abstract readonly databaseRole?: string;
  /** Address to listen on. Default: 127.0.0.1. */
  abstract readonly host?: string;
  /** 0 picks a free port. */
  abstract readonly port: number;
  abstract readonly masterKey: string;
  /** The previous key, until the rotation from it is finished. */
  abstract readonly previousMasterKey?: string;
  abstract readonly adminToken: string | undefined;
  abstract readonly allowHttp: boolean;
  abstract readonly allowedCidrs: readonly string[];
  abstract readonly logLevel: LevelWithSilent;
  /** Default: standard output. */
  abstract readonly logStream?: DestinationStream;
}
