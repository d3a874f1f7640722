/** An unverified message. */
export interface ReceivedMessage {
  /** Names in lower case, as node:http gives them. */
  headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The exact bytes received: the signature covers them, and parsing and printing would change them. */
  body: Buffer;
}

/** Undefined when the header is missing, empty or repeated. */
export function headerOf({ headers }: ReceivedMessage, name: string): string | undefined {
  const value = headers[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}
