import { Post } from '@nestjs/common';
import { ApiOperation } from '@nestjs/swagger';
import { ZodResponse } from 'nestjs-zod';
import { ProblemException, problems } from '@kernel/http';
import { Exchange } from '@kernel/runtime';
import { OpenAdminController } from '../access/admin-controller.js';
import { AdminPrincipal } from '../access/admin-principal.js';
import { FailedAttempts } from '../access/failed-attempts.js';
import { Body, HttpExchange } from '../access/input.js';
import { TokenIssuer } from '../tokens/token-issuer.js';
import { OneTimeCode } from './one-time-code.js';
import { CodeToRedeem, RedeemedCode } from './session.dto.js';

const NAME = 'console link';
const TOKEN_LIFE_SECONDS = 43_200;

/** Ledger actor of tokens issued through the printed link, without an existing token. */
const LINK_HOLDER = new AdminPrincipal({ actor: NAME, role: 'operator', tenantId: null });

/** Needs no token, because it issues one. */
@OpenAdminController('session')
export class SignInController {
  constructor(
    private readonly code: OneTimeCode,
    private readonly issuer: TokenIssuer,
    private readonly failures: FailedAttempts,
  ) {}

  @Post()
  @ApiOperation({ summary: 'Exchange the one-time code of the printed link' })
  @ZodResponse({ status: 201, type: RedeemedCode })
  async signIn(@Body() { code }: CodeToRedeem, @HttpExchange() exchange: Exchange) {
    if (!this.code.redeem(code)) {
      throw this.refuse(exchange);
    }
    const grant = { name: NAME, role: 'operator' } as const;
    const { row, token } = await this.issuer.issue(LINK_HOLDER, grant, { expiresInSeconds: TOKEN_LIFE_SECONDS });
    return { token, expiresAt: row.expiresAt!.toISOString() };
  }

  /** Counted together with wrong tokens of the same source. */
  private refuse(exchange: Exchange): ProblemException {
    const retryAfterSeconds = this.failures.note(exchange.address);
    if (retryAfterSeconds === undefined) {
      return codeRefused();
    }
    exchange.setHeader('retry-after', retryAfterSeconds);
    return problems.tooManyFailures(retryAfterSeconds);
  }
}

function codeRefused(): ProblemException {
  return new ProblemException({
    code: 'code-refused',
    status: 401,
    detail: 'this code was used before, is too old or is of another process: sign in with the admin token instead',
  });
}
