import { type Action, type Command, defineAction } from '../../../src/bridge/commands/command.ts';
import type {
  CommandNames,
  CommandRunner,
  Invocation,
} from '../../../src/bridge/commands/invocation.ts';
import type { Options } from '../../../src/bridge/commands/option.ts';
import { createPlainRunner } from '../../fixtures/plain-runner.ts';

/** An action that does nothing: what a command does is the runner’s affair, told to `run`. */
export function action(
  options: Options,
  rest: Partial<Pick<Action, 'description' | 'shownTo' | 'shortcut'>> = {},
): Action {
  return defineAction({
    description: rest.description ?? 'ask',
    options,
    shownTo: rest.shownTo ?? 'private',
    ...(rest.shortcut && { shortcut: rest.shortcut }),
    async *run() {
      yield* [];
    },
  });
}

const title = { type: 'text', description: 'source title' } as const;

export const source: Command = {
  name: 'source',
  description: 'source',
  actions: {
    upload: action(
      { file: { type: 'file', description: 'source file', required: true }, title },
      {
        description: 'source upload',
        shownTo: 'channel',
        shortcut: { name: 'source upload shortcut', takes: 'file' },
      },
    ),
    url: action(
      {
        url: { type: 'text', description: 'source urls', required: true, maxLength: 40 },
        title,
      },
      { description: 'source url', shownTo: 'channel' },
    ),
    qa: action(
      {
        question: { type: 'text', description: 'source question', required: true },
        answer: { type: 'text', description: 'source answer', required: true, multiline: true },
        title,
      },
      { description: 'source qa' },
    ),
    list: action({}, { description: 'source list' }),
  },
};

export const ask: Command = {
  name: 'ask',
  description: 'ask',
  action: action({
    question: { type: 'text', description: 'ask question', required: true },
  }),
};

/** The example commands; `run` says what each of them does. */
export function exampleRunner(
  run: (invocation: Invocation) => AsyncIterable<string>,
  names?: Partial<CommandNames>,
): CommandRunner {
  return createPlainRunner({ names, commands: [ask, source], run });
}
