/** What came, before anything is known of it. */
export interface ReceivedMessage {
  /** Names in lower case, as node:http gives them. */
  headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The very bytes that came: a signature covers them, and parsing and printing would change them. */
  body: Buffer;
}

/** Undefined when it is missing, empty or there more than once. */
export function headerOf({ headers }: ReceivedMessage, name: string): string | undefined {
  const value = headers[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}
