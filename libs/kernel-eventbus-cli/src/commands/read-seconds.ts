import { InvalidArgumentError } from 'commander';

export function readSeconds(text: string): number {
  if (!/^\d{1,9}$/.test(text)) {
    throw new InvalidArgumentError('It must be a whole number of seconds from 0 on.');
  }
  return Number(text);
}
