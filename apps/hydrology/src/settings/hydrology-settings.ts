import { AppSettings } from '@kernel/app';
import type { DestinationStream } from 'pino';

/** All data of the pipeline belongs to one tenant. */
export const KFM_TENANT_ID = '00000000-0000-4000-8000-000000000913';

/** Settings of the app. Its own injection token. */
export abstract class HydrologySettings extends AppSettings {
  /** Folder for the artifacts. */
  abstract readonly artifactFolder: string;
  /** For `serve`; 0 picks a free port. */
  abstract override readonly port: number;
  /** Default: standard error, because a command's result goes to standard output. */
  abstract override readonly logStream?: DestinationStream;
}
