/**
 * KER-6a: a domain that calls a webhook itself bypasses the outbox; its call survives a rollback and is lost in a
 * crash. Within the kernel, requests outside `kernel-outgoing-http` bypass the guard. Type-only imports are allowed:
 * they send nothing.
 */
const CLIENTS = new RegExp(
  `^(?:${[
    '(?:node:)?(?:http|https|http2|net|tls|dgram)',
    '(?:@nestjs/axios|axios|axios-retry|undici|undici-types|node-fetch|cross-fetch|isomorphic-fetch|ofetch|make-fetch-happen)(?:/.*)?',
    '(?:got|ky|superagent|supertest|request|needle|phin|bent|wretch|follow-redirects|ws|eventsource|socket.io-client)(?:/.*)?',
  ].join('|')})$`,
);
/** `node:net` also holds pure functions over addresses, `node:http` a table of status names. */
const HARMLESS_NAMES = new Set(['BlockList', 'isIP', 'isIPv4', 'isIPv6', 'STATUS_CODES']);
/** Its createRequire can load a module under any name. */
const MODULE_LOADER = /^(?:node:)?module$/;
const GLOBALS = new Set(['fetch', 'XMLHttpRequest', 'WebSocket', 'EventSource']);
const GLOBAL_OBJECTS = new Set(['globalThis', 'global', 'window', 'self']);
const LOADERS = new Set(['require', 'getBuiltinModule']);

/** @type {import('eslint').Rule.RuleModule} */
export const noHttpClient = {
  meta: {
    type: 'problem',
    schema: [{ type: 'object', properties: { fix: { type: 'string' } }, additionalProperties: false }],
    defaultOptions: [{ fix: 'past the outbox: publish an event; the kernel delivers it.' }],
    messages: {
      client: '`{{name}}` reaches the network {{fix}}',
      computed: 'A module is loaded by a name that no check can read: write the name out, and never an HTTP client.',
    },
  },
  create(context) {
    const [{ fix }] = context.options;
    const forbid = (node, name) => context.report({ node, messageId: 'client', data: { name, fix } });

    const checkModule = (node, specifier) => {
      const name = readText(specifier);
      if (name === undefined || MODULE_LOADER.test(name)) {
        context.report({ node, messageId: 'computed' });
      } else if (CLIENTS.test(name)) {
        forbid(node, name);
      }
    };

    const checkImport = (node) => {
      const specifiers = node.specifiers ?? [];
      const isHarmless =
        isType(node) ||
        (specifiers.length > 0 && specifiers.every((one) => isType(one) || HARMLESS_NAMES.has(one.imported?.name)));
      if (node.source && !isHarmless) {
        checkModule(node, node.source);
      }
    };

    return {
      ImportDeclaration: checkImport,
      ExportNamedDeclaration: checkImport,
      ExportAllDeclaration: checkImport,
      ImportExpression: (node) => checkModule(node, node.source),
      TSImportEqualsDeclaration(node) {
        if (node.importKind !== 'type' && node.moduleReference.type === 'TSExternalModuleReference') {
          checkModule(node, node.moduleReference.expression);
        }
      },
      CallExpression(node) {
        if (LOADERS.has(calledName(node.callee)) && !isOwnMethod(node.callee) && node.arguments.length > 0) {
          checkModule(node, node.arguments[0]);
        }
      },
      MemberExpression(node) {
        const name = node.computed ? readText(node.property) : node.property.name;
        if (GLOBAL_OBJECTS.has(node.object.name) && GLOBALS.has(name)) {
          forbid(node, name);
        }
      },
      VariableDeclarator(node) {
        if (node.id.type === 'ObjectPattern' && GLOBAL_OBJECTS.has(node.init?.name)) {
          node.id.properties
            .filter((property) => GLOBALS.has(property.key?.name ?? property.key?.value))
            .forEach((property) => forbid(property, property.key.name ?? property.key.value));
        }
      },
      'Program:exit'(node) {
        const scope = context.sourceCode.getScope(node);
        const declared = [...GLOBALS].flatMap((name) => {
          const variable = scope.set.get(name);
          return variable && variable.defs.length === 0 ? variable.references : [];
        });
        const references = new Set([...scope.through, ...declared]);
        for (const { identifier } of references) {
          if (GLOBALS.has(identifier.name)) {
            forbid(identifier, identifier.name);
          }
        }
      },
    };
  },
};

function isType({ importKind, exportKind }) {
  return importKind === 'type' || exportKind === 'type';
}

function readText(node) {
  if (node.type === 'Literal' && typeof node.value === 'string') {
    return node.value;
  }
  return node.type === 'TemplateLiteral' && node.expressions.length === 0 ? node.quasis[0].value.cooked : undefined;
}

/** `this.require(...)` and `this.part.require(...)`: a method of the class, not a loader. */
function isOwnMethod({ object }) {
  return object?.type === 'ThisExpression' || object?.object?.type === 'ThisExpression';
}

function calledName(callee) {
  return callee.type === 'MemberExpression' ? (callee.property.name ?? callee.property.value) : callee.name;
}
