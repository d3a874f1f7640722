import { createHash, randomUUID } from 'node:crypto';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Injectable } from '@nestjs/common';
import { HydrologySettings } from '../settings/hydrology-settings.js';

export interface Artifact {
  /** Location within the store: `kfm://artifacts/<dataset>/<version>/<checksum>.geojson`. */
  uri: string;
  checksum: string;
  byteSize: number;
}

/**
 * A file is named by its checksum, so a failed or repeated run never overwrites a published file. A file counts as
 * published when a committed artifact version names it; any other is left over from a failed run.
 */
@Injectable()
export class ArtifactStore {
  constructor(private readonly settings: HydrologySettings) {}

  async write(datasetId: string, version: string, text: string): Promise<Artifact> {
    const digest = createHash('sha256').update(text).digest('hex');
    const name = join(datasetId, version, `${digest}.geojson`);
    const path = join(this.settings.artifactFolder, name);
    await mkdir(dirname(path), { recursive: true });
    // Renamed into place when complete.
    const draft = `${path}.${randomUUID()}`;
    await writeFile(draft, text, { flag: 'wx' });
    await rename(draft, path);
    return { uri: `kfm://artifacts/${name}`, checksum: `sha256:${digest}`, byteSize: Buffer.byteLength(text) };
  }
}
