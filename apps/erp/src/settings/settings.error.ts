/** What is wrong with the environment, on one line that names the variable, what it was and what it may be. */
export class SettingsError extends Error {
  readonly code = 'SETTINGS_INVALID';

  constructor(problems: readonly string[], options?: ErrorOptions) {
    super(problems.join('; '), options);
    this.name = 'SettingsError';
  }
}
