const LEGAL = /^[a-zA-Z0-9._-]{1,249}$/;
const PLACEHOLDER = /\{(tenantId|type)\}/g;

export interface TopicParts {
  tenantId: string;
  type: string;
}

/** The reason why a template is invalid; undefined if it is valid. */
export function checkTemplate(template: string): string | undefined {
  return isLegal(template.replace(PLACEHOLDER, 'x'))
    ? undefined
    : 'a topic has letters, digits, dots, dashes and underscores, and {tenantId} or {type} where those of the event stand';
}

/** The topic of an event; undefined if the event type has characters that Kafka does not allow in a topic name. */
export function topicOf(template: string, parts: TopicParts): string | undefined {
  const topic = template.replace(PLACEHOLDER, (_placeholder, name: keyof TopicParts) => parts[name]);
  return isLegal(topic) ? topic : undefined;
}

function isLegal(name: string): boolean {
  return LEGAL.test(name) && name !== '.' && name !== '..';
}
