/** A url in two parts. */
export interface SplitUrl {
  /** Without user, query and fragment: may be shown and kept. */
  shown: string;
  /** The rest, which may hold credentials; empty if there is none. */
  hidden: string;
}

const PARTS = /^([a-z][a-z\d+.-]*:\/*)?([^/?#]*@)?([^?#]*)(.*)$/is;

/** Works on the text, so a url that cannot be parsed is split too. */
export function splitUrl(url: string): SplitUrl {
  const [, scheme = '', user = '', place = '', rest = ''] = PARTS.exec(url)!;
  return { shown: scheme + place, hidden: user + rest };
}

/** The texts that may be credentials, as written and decoded: user, password, the query and the values in it. */
export function secretsIn(url: string): string[] {
  const { hidden } = splitUrl(url);
  if (hidden === '') {
    return [];
  }
  const [, user = '', rest = ''] = /^([^?#]*@)?(.*)$/s.exec(hidden)!;
  const written = [...user.split(/[:@]/), rest.slice(1), ...rest.slice(1).split(/[&#]/).map(valueOf)];
  return [...new Set(written.flatMap((text) => [text, decode(text)]))].filter((text) => text !== '');
}

function valueOf(parameter: string): string {
  return parameter.slice(parameter.indexOf('=') + 1);
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}
