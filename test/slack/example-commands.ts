import { type Action, type Command, defineAction } from '../../src/commands/command.ts';
import type { Options } from '../../src/commands/option.ts';
import type { CommandRunner, Invocation } from '../../src/commands/invocation.ts';
import { createPlainRunner } from '../fixtures/plain-runner.ts';

/** An action that does nothing: what a command does is the runner’s affair, told to `run`. */
export function action(
  options: Options,
  rest: { description?: string; shownTo?: Action['shownTo']; shortcut?: string } = {},
): Action {
  return defineAction({
    description: rest.description ?? 'Do it',
    options,
    shownTo: rest.shownTo ?? 'private',
    ...(rest.shortcut && { shortcut: rest.shortcut }),
    async *run() {
      yield* [];
    },
  });
}

const title = { type: 'text', description: 'What it is called' } as const;

export const source: Command = {
  name: 'source',
  description: 'What the chatbot knows',
  actions: {
    upload: action(
      { file: { type: 'file', description: 'Text or HTML', required: true }, title },
      { description: 'Teach a file', shownTo: 'channel', shortcut: 'Add files as sources' },
    ),
    url: action(
      {
        url: { type: 'text', description: 'Its address', required: true, maxLength: 40 },
        title,
      },
      { description: 'Teach a page', shownTo: 'channel' },
    ),
    qa: action(
      {
        question: { type: 'text', description: 'What is asked', required: true },
        answer: { type: 'text', description: 'What to say', required: true, multiline: true },
        title,
      },
      { description: 'Teach an answer' },
    ),
    list: action({}, { description: 'List sources' }),
  },
};

export const ask: Command = {
  name: 'ask',
  description: 'Ask the chatbot',
  action: action({
    question: { type: 'text', description: 'What you want to know', required: true },
  }),
};

/** The example commands; `run` says what each of them does. */
export function exampleRunner(
  run: (invocation: Invocation) => AsyncIterable<string>,
  prefix = '',
): CommandRunner {
  return createPlainRunner({ prefix, commands: [ask, source], run });
}
