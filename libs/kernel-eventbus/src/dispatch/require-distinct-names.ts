import { DispatcherConfigurationError } from '../eventbus.errors.js';

export function requireDistinctNames(option: string, parts: readonly { name: string }[]): void {
  const names = parts.map(({ name }) => name);
  const twice = names.find((name, place) => names.indexOf(name) !== place);
  if (twice !== undefined) {
    throw new DispatcherConfigurationError(`${option} lists two called '${twice}': names have to differ`);
  }
}
