import type { DestinationStream, LevelWithSilent } from 'pino';

/** All data of the pipeline belongs to one tenant. */
export const KFM_TENANT_ID = '00000000-0000-4000-8000-000000000913';

/** What the app starts with. Its own injection token. */
export abstract class HydrologySettings {
  abstract readonly databaseUrl: string;
  /** A role that every connection takes on, where the URL's user could do more than the app needs. */
  abstract readonly databaseRole?: string;
  abstract readonly masterKey: string;
  /** The key before it, while the rotation from one to the other is not finished. */
  abstract readonly previousMasterKey?: string;
  abstract readonly adminToken: string | undefined;
  /** Where artifacts are written. */
  abstract readonly artifactFolder: string;
  /** For `serve`; 0 picks a free one. */
  abstract readonly port: number;
  abstract readonly allowHttp: boolean;
  abstract readonly allowedCidrs: readonly string[];
  abstract readonly logLevel: LevelWithSilent;
  /** Default: standard error, because a command's result goes to standard output. */
  abstract readonly logStream?: DestinationStream;
}
