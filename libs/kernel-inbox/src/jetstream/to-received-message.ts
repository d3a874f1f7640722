import type { JsMsg } from '@nats-io/jetstream';
import type { ReceivedMessage } from '../verification/received-message.js';

/** The sink sends the exact body and headers of a webhook. A repeated header counts as missing, as over HTTP. */
export function toReceivedMessage({ data, headers }: Pick<JsMsg, 'data' | 'headers'>): ReceivedMessage {
  const names = headers?.keys() ?? [];
  return {
    headers: Object.fromEntries(
      names.map((name) => {
        const values = headers!.values(name);
        return [name.toLowerCase(), values.length === 1 ? values[0] : values];
      }),
    ),
    body: Buffer.from(data.buffer, data.byteOffset, data.byteLength),
  };
}
