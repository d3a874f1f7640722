const LEGAL = /^[a-zA-Z0-9._-]{1,249}$/;
const PLACEHOLDER = /\{(tenantId|type)\}/g;

export interface TopicParts {
  tenantId: string;
  type: string;
}

/** Why this is no template of a topic's name; undefined: it is one. */
export function checkTemplate(template: string): string | undefined {
  return isLegal(template.replace(PLACEHOLDER, 'x'))
    ? undefined
    : 'a topic has letters, digits, dots, dashes and underscores, and {tenantId} or {type} where those of the event stand';
}

/** The topic of an event; undefined where Kafka knows no topic of such a name, because its type holds other characters. */
export function topicOf(template: string, parts: TopicParts): string | undefined {
  const topic = template.replace(PLACEHOLDER, (_placeholder, name: keyof TopicParts) => parts[name]);
  return isLegal(topic) ? topic : undefined;
}

function isLegal(name: string): boolean {
  return LEGAL.test(name) && name !== '.' && name !== '..';
}
