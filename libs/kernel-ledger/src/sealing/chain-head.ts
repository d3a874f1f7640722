import { Injectable } from '@nestjs/common';

/** The sealer's last look at the chain: whether the head fits the last seal. */
@Injectable()
export class ChainHead {
  #isBroken: boolean | undefined;

  /** Undefined: this process has not sealed yet. */
  get isBroken(): boolean | undefined {
    return this.#isBroken;
  }

  sawHead(isBroken: boolean): void {
    this.#isBroken = isBroken;
  }
}
