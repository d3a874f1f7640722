import { appOrmOptions, type DatabasePlace } from '@kernel/app';
import { signatureMigrations } from '../migrations/index.js';
import { SignatureRequestEntity } from '../signing/signature-request.entity.js';

export function ormOptions(place: DatabasePlace) {
  return appOrmOptions(place, { entities: [SignatureRequestEntity], migrations: signatureMigrations });
}
