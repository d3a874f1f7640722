const MAX_MEMBERS = 32;
const MAX_LENGTH = 512;
/** Members beyond this length are the first to go. */
const LONG_MEMBER = 128;

/** `key=value` of W3C Trace Context: the value is printable ASCII without comma and equals sign, and ends in no space. */
const MEMBER = /^[a-z0-9][a-z0-9_*/@-]{0,255}=[\x20-\x2b\x2d-\x3c\x3e-\x7e]{0,255}[\x21-\x2b\x2d-\x3c\x3e-\x7e]$/;

/** Far more than 32 members of 512 characters that make sense. Longer headers are not read. */
const MAX_HEADER_LENGTH = 8_192;

/** The `tracestate` to pass on: null if it is missing or invalid, cut by whole members if it is long. */
export function readTraceState(header: string | undefined): string | null {
  if (!header || header.length > MAX_HEADER_LENGTH) {
    return null;
  }
  const members = header
    .split(',')
    .map((member) => member.trim())
    .filter((member) => member !== '');
  if (members.length === 0 || members.length > MAX_MEMBERS || !members.every((member) => MEMBER.test(member))) {
    return null;
  }
  return cut(members) || null;
}

function cut(members: readonly string[]): string {
  const whole = members.join();
  if (whole.length <= MAX_LENGTH) {
    return whole;
  }
  const short = members.filter(({ length }) => length <= LONG_MEMBER);
  while (short.join().length > MAX_LENGTH) {
    short.pop();
  }
  return short.join();
}
