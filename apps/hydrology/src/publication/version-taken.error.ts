/** The version was already published, from other inputs. A published version never changes. */
export class VersionTakenError extends Error {
  readonly code = 'HYDROLOGY_VERSION_TAKEN';

  constructor(datasetId: string, version: string) {
    super(
      `${datasetId} ${version} was published from other inputs already; publish these under another version (--dataset-version)`,
    );
    this.name = 'VersionTakenError';
  }
}
