import { createHash, randomUUID } from 'node:crypto';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Injectable } from '@nestjs/common';
import { HydrologySettings } from '../settings/hydrology-settings.js';

export interface Artifact {
  /** Where it is within the store: `kfm://artifacts/<dataset>/<version>/<checksum>.geojson`. */
  uri: string;
  checksum: string;
  byteSize: number;
}

/**
 * A file is named by its checksum, so that a run that fails, or is repeated, never overwrites what another published. A file
 * counts as published when a committed artifact version names it; any other is left over from a run that failed.
 */
@Injectable()
export class ArtifactStore {
  constructor(private readonly settings: HydrologySettings) {}

  async write(datasetId: string, version: string, text: string): Promise<Artifact> {
    const digest = createHash('sha256').update(text).digest('hex');
    const name = join(datasetId, version, `${digest}.geojson`);
    const path = join(this.settings.artifactFolder, name);
    await mkdir(dirname(path), { recursive: true });
    // Moved into place when it is whole.
    const draft = `${path}.${randomUUID()}`;
    await writeFile(draft, text, { flag: 'wx' });
    await rename(draft, path);
    return { uri: `kfm://artifacts/${name}`, checksum: `sha256:${digest}`, byteSize: Buffer.byteLength(text) };
  }
}
