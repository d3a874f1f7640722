export type PathParameters = Record<string, string>;

/** `/deliveries/:id` matches `/deliveries/1` with `{ id: '1' }`. */
export function matchPath(pattern: string, path: string): PathParameters | undefined {
  const wanted = pattern.split('/');
  const given = path.split('/');
  if (wanted.length !== given.length) {
    return undefined;
  }
  const parameters: PathParameters = {};
  for (const [index, part] of wanted.entries()) {
    const value = given[index]!;
    if (part.startsWith(':')) {
      parameters[part.slice(1)] = decode(value);
    } else if (part !== value) {
      return undefined;
    }
  }
  return parameters;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
