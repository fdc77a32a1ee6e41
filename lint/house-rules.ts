import type { RuleTester } from 'oxlint/plugins-dev';
import { analyse } from 'scslre';

type Rule = Parameters<RuleTester['run']>[1];

/** Constants are in camelCase, like every other name. */
const camelCaseConstants: Rule = {
  create: (context) => ({
    VariableDeclarator({ id }) {
      if (id.type !== 'Identifier' || !/^[A-Z][A-Z\d]*(?:_[A-Z\d]+)*$/.test(id.name)) return;
      context.report({ node: id, message: `Write ${id.name} in camelCase.` });
    },
  }),
};

/** Limits are called `max…` and `min…`, and what is wrong gets a `fix`. */
const plainNames: Rule = {
  create: (context) => ({
    Identifier(node) {
      if (!/^(?:most|longest|greatest|least|fewest)[A-Z]|^mend(?:$|[A-Z])/.test(node.name)) return;
      context.report({ node, message: `${node.name}: say max, min or fix.` });
    },
  }),
};

const levels = new Set(['trace', 'debug', 'info', 'warn', 'error', 'fatal']);

/** Log messages start in lower case, except for names, and end without a full stop. */
const logMessages: Rule = {
  create: (context) => ({
    CallExpression({ callee, arguments: given }) {
      if (callee.type !== 'MemberExpression' || callee.property.type !== 'Identifier') return;
      const { object, property } = callee;
      const logger = object.type === 'MemberExpression' ? object.property : object;
      if (logger.type !== 'Identifier' || logger.name !== 'log') return;
      if (!levels.has(property.name)) return;

      const message = given.at(-1);
      if (message?.type !== 'Literal' && message?.type !== 'TemplateLiteral') return;
      const text = context.sourceCode.getText(message).slice(1, -1);
      if (/^(?!Slack|Discord)\p{Lu}/u.test(text)) {
        context.report({ node: message, message: 'Start log messages in lower case.' });
      }
      if (text.endsWith('.')) {
        context.report({ node: message, message: 'End log messages without a full stop.' });
      }
    },
  }),
};

/** The throws tag is on its own line, with the error's name in braces. */
const throwsTags: Rule = {
  create: (context) => ({
    Program() {
      for (const comment of context.sourceCode.getAllComments()) {
        if (comment.type !== 'Block' || !comment.value.startsWith('*')) continue;
        const lines = comment.value.slice(1).split('\n');
        const isFaulty = lines.some((line) =>
          /(?<!^\s*(?:\*\s*)?)@throws|@throws(?! \{)|(?:^[\s*]*|\. )Throws\b/.test(line),
        );
        if (!isFaulty) continue;
        const message = 'Write `@throws {Name} when …` on a line of its own.';
        context.report({ node: comment, message });
      }
    },
  }),
};

/**
 * An optional value is passed as undefined or, where the key must be absent, as `...(x && { x })`.
 */
const conditionalSpread: Rule = {
  create: (context) => ({
    SpreadElement({ argument }) {
      if (argument.type !== 'ConditionalExpression') return;
      const isEmpty = [argument.consequent, argument.alternate].some(
        (branch) => branch.type === 'ObjectExpression' && branch.properties.length === 0,
      );
      if (!isEmpty) return;
      const message = 'Pass undefined through; where the key must be absent, spread `x && { x }`.';
      context.report({ node: argument, message });
    },
  }),
};

/** An optional property is `name?: Type`: it accepts undefined already. */
const optionalProperties: Rule = {
  create: (context) => ({
    TSPropertySignature({ optional, typeAnnotation }) {
      const type = typeAnnotation?.typeAnnotation;
      if (!optional || type?.type !== 'TSUnionType') return;
      const surplus = type.types.find((one) => one.type === 'TSUndefinedKeyword');
      if (!surplus) return;
      context.report({ node: surplus, message: '`?:` takes undefined already.' });
    },
  }),
};

/** Patterns take time in proportion to the text, whatever it says. */
const linearPatterns: Rule = {
  create: (context) => ({
    Literal(node) {
      if (!('regex' in node)) return;
      const { pattern: source, flags } = node.regex;
      const report = analyse({ source, flags }, { maxReports: 1 }).reports[0];
      if (!report) return;
      const repeated =
        report.type === 'Trade' ? [report.startQuant, report.endQuant] : [report.quant];
      const parts = [...new Set(repeated.map(({ raw }) => raw))].join(' and ');
      const message = `Many ${JSON.stringify(report.character.pick)} take more than linear time: ${parts}.`;
      context.report({ node, message });
    },
  }),
};

/** The project's own lint rules; docs/decisions says why. */
const plugin = {
  meta: { name: 'house' },
  rules: {
    'camel-case-constants': camelCaseConstants,
    'plain-names': plainNames,
    'linear-patterns': linearPatterns,
    'log-messages': logMessages,
    'throws-tags': throwsTags,
    'conditional-spread': conditionalSpread,
    'optional-properties': optionalProperties,
  },
};
export default plugin;
