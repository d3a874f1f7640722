const MAX_ISSUES = 20;
const MAX_ISSUE_LENGTH = 200;

/** One short line: the first issues that Zod found, and how many more there are. */
export function describeIssues(issues: readonly { path: PropertyKey[]; message: string }[]): string {
  const listed = issues
    .slice(0, MAX_ISSUES)
    .map(({ path, message }) => `${path.join('.') || 'options'}: ${message}`.slice(0, MAX_ISSUE_LENGTH));
  return listed.join('; ') + (issues.length > MAX_ISSUES ? `; and ${issues.length - MAX_ISSUES} more` : '');
}
