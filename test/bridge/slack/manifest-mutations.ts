import { reservedCommands } from '../../../src/sandbox/slack/manifest.ts';

interface SlashCommand {
  command: string;
  description: string;
  usage_hint?: string;
  url?: string;
}

interface Shortcut {
  type: string;
  name: string;
  callback_id: string;
  description: string;
}

/** A manifest, as far as tests change it. */
export interface Manifest {
  display_information: { name: string; description: string };
  features: {
    bot_user: { display_name: string };
    agent_view: { agent_description: string };
    slash_commands: SlashCommand[];
    shortcuts: Shortcut[];
  };
  oauth_config: { scopes: { bot: string[] } };
  settings: {
    socket_mode_enabled: boolean;
    event_subscriptions: { bot_events: string[]; request_url?: string };
  };
}

/** Breaks one of Slack's documented limits: somewhere, and by how much. */
type Mutation = (manifest: Manifest, place: number, excess: number) => void;

const long = (most: number, excess: number) => 'x'.repeat(most + excess);

/** Changes one of the commands. */
const command =
  (change: (excess: number) => Partial<SlashCommand>): Mutation =>
  ({ features }, place, excess) => {
    const { slash_commands: commands } = features;
    Object.assign(commands[place % commands.length] ?? {}, change(excess));
  };

const shortcut =
  (change: (excess: number) => Partial<Shortcut>): Mutation =>
  ({ features }, place, excess) => {
    const { shortcuts } = features;
    Object.assign(shortcuts[place % shortcuts.length] ?? {}, change(excess));
  };

/**
 * What Slack does not take, each as a change to a manifest that it does:
 * docs.slack.dev/reference/app-manifest.
 */
export const mutations: Record<string, Mutation> = {
  'a name of more than 35 characters': ({ display_information: shown }, _, excess) => {
    shown.name = long(35, excess);
  },
  'a description of more than 140 characters': ({ display_information: shown }, _, excess) => {
    shown.description = long(140, excess);
  },
  'a bot’s name of more than 80 characters': ({ features }, _, excess) => {
    features.bot_user.display_name = long(80, excess);
  },
  'an agent’s description of more than 300 characters': ({ features }, _, excess) => {
    features.agent_view.agent_description = long(300, excess);
  },
  'a command of more than 32 characters': command((excess) => ({
    command: `/${long(31, excess)}`,
  })),
  'a command without its slash': command(() => ({ command: 'source' })),
  'a command that Slack has itself': command((excess) => ({
    command: reservedCommands[excess % reservedCommands.length] ?? '',
  })),
  'a command with a space': command(() => ({ command: '/source list' })),
  'a command’s description of more than 2000 characters': command((excess) => ({
    description: long(2_000, excess),
  })),
  'a command without a description': command(() => ({ description: '' })),
  'a usage hint of more than 1000 characters': command((excess) => ({
    usage_hint: long(1_000, excess),
  })),
  'a command’s address that is none': command(() => ({ url: 'nowhere' })),
  'a command twice': ({ features: { slash_commands: commands } }, place) => {
    commands.push(...commands.slice(place % commands.length).slice(0, 1));
  },
  'more than 50 commands': ({ features: { slash_commands: commands } }, _, excess) => {
    for (let index = commands.length; index < 50 + excess; index += 1) {
      commands.push({ command: `/more-${index}`, description: 'One more' });
    }
  },
  'no commands in their list': ({ features }) => {
    features.slash_commands = [];
  },
  'a shortcut’s name of more than 24 characters': shortcut((excess) => ({
    name: long(24, excess),
  })),
  'a shortcut’s id of more than 255 characters': shortcut((excess) => ({
    callback_id: long(255, excess),
  })),
  'a shortcut’s description of more than 150 characters': shortcut((excess) => ({
    description: long(150, excess),
  })),
  'a shortcut of no known type': shortcut(() => ({ type: 'channel' })),
  'more than 10 shortcuts': ({ features: { shortcuts } }, _, excess) => {
    for (let index = shortcuts.length; index < 10 + excess; index += 1) {
      const id = `more-${index}`;
      shortcuts.push({ type: 'message', name: id, callback_id: id, description: 'One more' });
    }
  },
  'more than 255 scopes': ({ oauth_config: { scopes } }, _, excess) => {
    scopes.bot = Array.from({ length: 255 + excess }, (_, index) => `scope:${index}`);
  },
  'more than 100 events': ({ settings: { event_subscriptions: events } }, _, excess) => {
    events.bot_events = Array.from({ length: 100 + excess }, (_, index) => `event.${index}`);
  },
  'an event twice': ({ settings: { event_subscriptions: events } }, place) => {
    events.bot_events.push(...events.bot_events.slice(place % events.bot_events.length));
  },
  'neither Socket Mode nor addresses': ({ settings }) => {
    settings.socket_mode_enabled = false;
  },
  'a property that Slack does not know': (manifest) => {
    Object.assign(manifest.features, { slash_command: [] });
  },
};
