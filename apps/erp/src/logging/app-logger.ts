import { Injectable } from '@nestjs/common';
import { Logger } from 'nestjs-pino';

/** Nest contexts that log every detail of the setup at startup. */
const CHATTY = ['InstanceLoader', 'RoutesResolver', 'RouterExplorer', 'NestFactory', 'NestApplication'];

@Injectable()
export class AppLogger extends Logger {
  override log(message: unknown, ...rest: unknown[]): void {
    if (CHATTY.includes(String(rest.at(-1)))) {
      super.debug(message, ...rest);
    } else {
      super.log(message, ...rest);
    }
  }
}
