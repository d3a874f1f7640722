export { runCli } from './run-cli.js';
export { EXIT_CODES } from './exit-codes.js';
export type { Terminal } from './terminal.js';
