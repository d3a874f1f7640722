import type { AsyncCommand } from 'fast-check';
import type { Model } from './model.js';
import type { World } from './world.js';

/** A named command, so a failing schedule is readable. */
export class Step implements AsyncCommand<Model, World> {
  constructor(
    private readonly name: string,
    private readonly act: (world: World) => Promise<unknown>,
    readonly check: (model: Readonly<Model>) => boolean = () => true,
  ) {}

  async run(_: Model, world: World): Promise<void> {
    await this.act(world);
    await world.compare();
  }

  toString(): string {
    return this.name;
  }
}

/** The `n`th item, modulo their number. */
export function pick<T>(items: readonly T[], n: number): T {
  return items[n % items.length]!;
}
