export type HeaderVerdict = { isAllowed: true } | { isAllowed: false; name: string; message: string };

/** Set by the connection itself; a value from the caller is a smuggling attempt or a mistake. */
const connectionHeaders = new Set([
  'accept-encoding',
  'connection',
  'content-length',
  'expect',
  'host',
  'http2-settings',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** Cache of accepted names: every attempt uses the same few. */
const knownNames = new Set<string>();
const maxKnownNames = 256;

const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
/** Visible latin-1, space and tab. */
const fieldValue = /^[\t\x20-\x7e\x80-\xff]*$/;

/** Runs before axios, which would strip CR and LF and send the rest. Messages omit values, because some are secrets. */
export function checkHeaders(headers: Readonly<Record<string, string>>): HeaderVerdict {
  for (const name in headers) {
    const value = headers[name]!;
    if (knownNames.has(name) && fieldValue.test(value)) continue;
    if (!token.test(name)) {
      return refuse(name, `the header name ${JSON.stringify(name)} is refused: use letters, digits and dashes`);
    }
    if (connectionHeaders.has(name.toLowerCase())) {
      return refuse(name, `the header ${name} is set by the connection: remove it`);
    }
    if (!fieldValue.test(value)) {
      return refuse(name, `the value of the header ${name} is refused: CR, LF and control characters are not allowed`);
    }
    if (knownNames.size < maxKnownNames) knownNames.add(name);
  }
  return { isAllowed: true };
}

function refuse(name: string, message: string): HeaderVerdict {
  return { isAllowed: false, name, message };
}
