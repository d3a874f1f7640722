import type { Behaviour } from './recording-receiver.js';

const DRIP_EVERY_MS = 100;
const CHUNK = Buffer.alloc(16_384, '.');

/** Takes the webhook and never says a word. */
export const hang: Behaviour = () => undefined;

/** Takes the webhook and breaks the connection with a reset. */
export const reset: Behaviour = (response) => response.socket?.resetAndDestroy();

/** Says yes, and then one byte after the other, without an end. */
export const drip: Behaviour = (response) => {
  response.writeHead(200);
  const dripping = setInterval(() => response.write('.'), DRIP_EVERY_MS);
  response.on('close', () => clearInterval(dripping));
};

/** Says yes, and then sends as much as the other side takes, without an end. */
export const pour: Behaviour = (response) => {
  response.writeHead(200);
  const fill = () => {
    while (!response.destroyed && response.write(CHUNK));
  };
  response.on('drain', fill);
  fill();
};
