import type { Behaviour } from './recording-receiver.js';

const DRIP_EVERY_MS = 100;
const CHUNK = Buffer.alloc(16_384, '.');

/** Accepts the webhook and never answers. */
export const hang: Behaviour = () => undefined;

/** Accepts the webhook and resets the connection. */
export const reset: Behaviour = (response) => response.socket?.resetAndDestroy();

/** Answers 200, then sends one byte after the other, without end. */
export const drip: Behaviour = (response) => {
  response.writeHead(200);
  const dripping = setInterval(() => response.write('.'), DRIP_EVERY_MS);
  response.on('close', () => clearInterval(dripping));
};

/** Answers 200, then sends as much as the other side reads, without end. */
export const pour: Behaviour = (response) => {
  response.writeHead(200);
  const fill = () => {
    while (!response.destroyed && response.write(CHUNK));
  };
  response.on('drain', fill);
  fill();
};
