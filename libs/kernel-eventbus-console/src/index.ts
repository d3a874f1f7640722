export { EventBusConsoleModule } from './eventbus-console.module.js';
export { InvalidConsoleOptionsError, type ConsoleTheme, type EventBusConsoleOptions } from './console.options.js';
