import { type Action, type Command, defineAction } from '../../../src/bridge/commands/command.ts';
import type { Options } from '../../../src/bridge/commands/option.ts';

/** An action that does nothing: what a command does is the runner’s affair. */
function action(shownTo: Action['shownTo'], options: Options): Action {
  return defineAction({
    description: 'ask',
    shownTo,
    options,
    async *run() {
      yield* [];
    },
  });
}

const question = { type: 'text', description: 'ask question', required: true } as const;
const file = { type: 'file', description: 'source file', required: true } as const;

/** Only its requester sees what it shows. */
export const ask: Command = {
  name: 'ask',
  description: 'ask',
  action: action('private', { question }),
};

/** Everyone in the channel sees what it shows. */
export const tell: Command = {
  name: 'tell',
  description: 'ask',
  action: action('channel', { question }),
};

export const upload: Command = {
  name: 'upload',
  description: 'source',
  action: action('channel', { file }),
};

/** A command with actions, to be said in a thread. */
export const session: Command = {
  name: 'session',
  description: 'session',
  actions: {
    export: action('private', {
      format: { type: 'text', description: 'session format' },
      session: { type: 'text', description: 'session name or here' },
    }),
    notify: action('private', {
      channel: { type: 'channel', description: 'chatbot notify channel' },
      person: { type: 'person', description: 'chatbot notify person' },
      note: { type: 'text', description: 'session name or here' },
    }),
  },
};
