/** An invalid environment, on one line that names the variable, its value and the allowed values. */
export class SettingsError extends Error {
  readonly code = 'SETTINGS_INVALID';

  constructor(problems: readonly string[], options?: ErrorOptions) {
    super(problems.join('; '), options);
    this.name = 'SettingsError';
  }
}
