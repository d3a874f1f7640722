import { randomUUID } from 'node:crypto';
import { writeJson } from '@kernel/privacy';
import fc from 'fast-check';
import { deepValue, hostileBody, hostileText, hostileValue } from './hostile-json.js';

/** The part of an OpenAPI document that describes how to call a route. */
export interface ApiDocument {
  paths: Record<string, Record<string, Operation>>;
  components?: { schemas?: Record<string, Schema> };
}

export interface Operation {
  parameters?: { name: string; in: string; schema?: Schema }[];
  requestBody?: { content: Record<string, { schema: Schema }> };
}

interface Schema {
  $ref?: string;
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
}

export interface HostileRequest {
  path: string;
  body?: string;
}

const rawQueries = [
  '%',
  '%zz',
  '%00',
  'limit=1&limit=2',
  'a[b][c]=d',
  '__proto__[isAdmin]=1',
  'constructor=1',
  'cursor=%ed%a0%80',
  '=',
  '&&',
];
const rawSegments = ['%', '%zz', '%00', '%E0%A4%A', '%2e%2e', '%2f', 'null'];

/** Requests that know the route: its parameters and body as documented, with hostile values in one place or all. */
export function hostileRequests(
  document: ApiDocument,
  path: string,
  operation: Operation,
  knownIds: readonly string[],
) {
  const id = fc.constantFrom(...knownIds, randomUUID());
  const segment = fc.oneof({ weight: 3, arbitrary: id }, hostileText.map(encode), fc.constantFrom(...rawSegments));
  const filledPath = fc
    .array(segment, { minLength: 4, maxLength: 4 })
    .map(([...segments]) => path.replaceAll(/\{[^}]+\}/g, () => segments.pop()!));

  const names = operation.parameters?.filter((parameter) => parameter.in === 'query').map(({ name }) => name) ?? [];
  const pair = fc
    .tuple(fc.constantFrom(...names, 'colour', '__proto__'), fc.oneof(hostileText, id))
    .map(([name, value]) => `${name}=${encode(value)}`);
  const query = fc.oneof(
    { weight: names.length > 0 ? 1 : 3, arbitrary: fc.constant('') },
    fc.array(pair, { minLength: 1, maxLength: 3 }).map((pairs) => `?${pairs.join('&')}`),
    fc.constantFrom(...rawQueries).map((raw) => `?${raw}`),
  );

  const schema = operation.requestBody?.content['application/json']?.schema;
  const sample = schema && sampleOf(document, schema, { id: knownIds[0]! });
  const body = fc.oneof(hostileBody, {
    weight: sample ? 3 : 0,
    arbitrary: spoiled(sample, membersOf(document, schema)),
  });
  return { filledPath, query, body };
}

/** JSON text of the sample: unchanged, with a hostile value in one place, or with an additional member. */
function spoiled(sample: unknown, members: readonly string[]): fc.Arbitrary<string> {
  const name = fc.oneof(hostileText, fc.constantFrom('colour', ...members));
  const anyValue = fc.oneof({ weight: 5, arbitrary: hostileValue }, { weight: 1, arbitrary: deepValue });
  const changed = fc.tuple(fc.constantFrom(...placesIn(sample)), name, anyValue).map(([place, name, value]) => {
    const copy = { root: structuredClone(sample) } as Record<string, unknown>;
    const holder = place.slice(0, -1).reduce((at, key) => at[key] as Record<string, unknown>, copy);
    const key = place.at(-1)!;
    const isObject = typeof holder[key] === 'object' && holder[key] !== null && !Array.isArray(holder[key]);
    // An object gets an additional member; computed keys make __proto__ an ordinary member.
    holder[key] = isObject ? { ...(holder[key] as object), [name]: value } : value;
    return writeJson(copy.root);
  });
  return fc.oneof(
    { weight: 1, arbitrary: fc.constant(JSON.stringify(sample ?? {})) },
    { weight: 5, arbitrary: changed },
  );
}

/** The member names of the body, including the optional ones. */
function membersOf(document: ApiDocument, schema: Schema | undefined): string[] {
  return Object.keys((schema && resolve(document, schema))?.properties ?? {});
}

function resolve(document: ApiDocument, schema: Schema): Schema {
  return schema.$ref ? document.components!.schemas![schema.$ref.split('/').at(-1)!]! : schema;
}

function placesIn(value: unknown, place: string[] = ['root']): string[][] {
  const members = typeof value === 'object' && value !== null ? Object.entries(value) : [];
  return [place, ...members.flatMap(([key, member]) => placesIn(member, [...place, key]))];
}

/** A value that satisfies the schema, without optional members. */
function sampleOf(document: ApiDocument, described: Schema, { id, name = '' }: { id: string; name?: string }): unknown {
  const schema = resolve(document, described);
  const [alternative] = schema.anyOf ?? schema.oneOf ?? schema.allOf ?? [];
  if (alternative) return sampleOf(document, alternative, { id, name });
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum[0];
  switch (Array.isArray(schema.type) ? schema.type[0] : schema.type) {
    case 'object':
      return Object.fromEntries(
        Object.entries(schema.properties ?? {})
          .filter(([member]) => schema.required?.includes(member))
          .map(([member, type]) => [member, sampleOf(document, type, { id, name: member })]),
      );
    case 'array':
      return [sampleOf(document, schema.items ?? {}, { id, name })];
    case 'integer':
    case 'number':
      return 1;
    case 'boolean':
      return false;
    default:
      return name.endsWith('Id') ? id : (sampleTexts[name] ?? 'sample');
  }
}

const sampleTexts: Record<string, string> = {
  url: 'http://127.0.0.1:9/hook',
  email: 'ada@example.com',
  path: '$.a',
  since: '2026-01-01T00:00:00.000Z',
};

/** Percent-encoded; unpaired surrogates become bytes that are not valid UTF-8. */
function encode(text: string): string {
  const bytes = [...text].map((character) => (character.isWellFormed() ? encodeURIComponent(character) : '%ED%A0%80'));
  return bytes.join('');
}
