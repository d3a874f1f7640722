/** Limits of a list of invalid fields: names and messages may repeat what a caller sent. */
const MAX_ISSUES = 20;
const MAX_PATH_LENGTH = 200;
const MAX_MESSAGE_LENGTH = 400;
const MAX_TEXT_LENGTH = 1_000;

export interface FieldIssue {
  path: string;
  message: string;
}

/** The first invalid fields, and the number of those that are not listed. */
export interface IssueList {
  issues: FieldIssue[];
  more: number;
}

/** An issue of Zod, or a `FieldIssue`. */
interface FoundIssue {
  path: string | readonly PropertyKey[];
  message: string;
  /** The unknown fields of one object, which Zod reports as one issue. */
  keys?: unknown;
}

/** Lists the first issues, shortened. Builds only these: a small body can have 100,000. `at` precedes every path. */
export function listIssues(found: readonly FoundIssue[], at: readonly string[] = []): IssueList {
  const issues: FieldIssue[] = [];
  let total = 0;
  for (const { path, message, keys } of found) {
    const unknownFields = Array.isArray(keys) ? (keys as PropertyKey[]) : undefined;
    total += unknownFields?.length ?? 1;
    const room = MAX_ISSUES - issues.length;
    const start = typeof path === 'string' ? [...at, path] : [...at, ...(room > 0 ? path : [])];
    if (unknownFields) {
      const listed = unknownFields.slice(0, room);
      issues.push(...listed.map((key) => ({ path: joinPath([...start, key]), message: 'unknown field' })));
    } else if (room > 0) {
      issues.push({ path: joinPath(start), message: shorten(message, MAX_MESSAGE_LENGTH) });
    }
  }
  return { issues, more: total - issues.length };
}

/** One line for people: the issues that fit, and how many more there are. */
export function describeIssues({ issues, more }: IssueList): string {
  let text = '';
  for (const [place, { path, message }] of issues.entries()) {
    const issue = path ? `${path}: ${message}` : message;
    if (place > 0 && text.length + issue.length > MAX_TEXT_LENGTH) {
      return `${text}; and ${issues.length - place + more} more`;
    }
    text += place > 0 ? `; ${issue}` : issue;
  }
  return more > 0 ? `${text}; and ${more} more` : text;
}

/** Stops at the limit: a path may have as many segments as a body. */
function joinPath(segments: readonly PropertyKey[]): string {
  let path = '';
  for (const [place, segment] of segments.entries()) {
    path += place > 0 ? `.${String(segment)}` : String(segment);
    if (path.length > MAX_PATH_LENGTH) {
      break;
    }
  }
  return shorten(path, MAX_PATH_LENGTH);
}

function shorten(text: string, maxLength: number): string {
  return text.length > maxLength ? `${text.slice(0, maxLength)}…` : text;
}
