import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, test } from 'vitest';
import type { IncomingMessage } from '../../../src/bridge/conversation/platform.ts';
import { sleep } from '../../../src/shared/primitives/time.ts';
import type { Envelope } from '../../../src/sandbox/slack/delivery.ts';
import { createHttpDelivery } from '../../../src/sandbox/slack/app-link.ts';
import type { Shape } from '../../fixtures/judges/slack-shape.ts';
import { serveWorkspace } from '../../sandbox/slack/serve-workspace.ts';
import { type Cast, fill, type Filled, recorded, typeOf, without } from './recorded.ts';
import { startSlack } from './start-slack.ts';

/** The kinds of conversation, with an id of each. */
const places = { channel: 'C0PUBLIC', group: 'C0PRIVATE', mpim: 'G0SEVERAL', im: 'D0DIRECT' };

/** What only messages of bots have. */
const ofBots = ['bot_id', 'bot_profile', 'username', 'icons', 'app_id', 'display_as_bot'];

/** A payload and its title. */
type Sent = [string, Filled];

type Ears = Awaited<ReturnType<typeof openEars>>;

/** The adapter by HTTP, to which anything can be sent that Slack was recorded to send. */
async function openEars() {
  await using parts = new AsyncDisposableStack();
  const { slack, ada: person } = parts.use(await serveWorkspace());
  const answered: string[] = [];
  const server = createServer((request, response) => {
    answered.push(decodeURIComponent((request.url ?? '').slice(1)));
    request.resume().on('end', () => response.end('ok'));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  parts.defer(() => {
    server.closeAllConnections();
    server.close();
  });
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const trustedOrigins = [origin, new URL(slack.credentials.apiUrl).origin];
  const started = parts.use(await startSlack(slack, 'http', { trustedOrigins }));
  const { signingSecret } = slack.credentials;
  const { eventsUrl: requestUrl, log } = started;
  const http = createHttpDelivery({ requestUrl, signingSecret, now: Date.now, sleep });
  let ids = 0;
  const opened = parts.move();

  async function isHeard(type: Envelope['type'], [title, payload]: Sent): Promise<boolean> {
    const response_url = `${origin}/${encodeURIComponent(title)}`;
    const answerable = 'response_url' in payload && { response_url };
    // Slack gives a new one to each thing that a person does.
    const triggered = 'trigger_id' in payload && { trigger_id: title };
    const sent = { ...payload, ...answerable, ...triggered };
    const { acknowledged } = await http.send({ type, payload: sent });
    return acknowledged;
  }

  /** Sends ten at a time. Returns the titles of those that are not acknowledged. */
  async function send(type: Envelope['type'], payloads: Sent[]): Promise<string[]> {
    const unheard: string[] = [];
    for (let next = 0; next < payloads.length; next += 10) {
      const some = payloads.slice(next, next + 10);
      const heard = await Promise.all(some.map((each) => isHeard(type, each)));
      unheard.push(...some.flatMap(([title], index) => (heard[index] ? [] : title)));
    }
    return unheard;
  }

  /** Ids, and a time that no other payload has. */
  function cast(channel: string): Cast {
    ids += 1;
    const ts = `${Math.floor(Date.now() / 1000)}.${String(ids).padStart(6, '0')}`;
    return { team: slack.team.id, channel, person, responseUrl: origin, ts };
  }

  return {
    bot: slack.bot,
    cast,
    send,
    /** All that was heard before one more message and its deletion in each place. */
    async heard() {
      const last = new Set<string>();
      for (const channel of Object.values(places)) {
        const { ts } = cast(channel);
        last.add(ts);
        const message = { type: 'message', user: person, text: 'over', ts };
        const deletion = { subtype: 'message_deleted', deleted_ts: ts, previous_message: message };
        const events = [message, { type: 'message', ...deletion }];
        for (const event of events) {
          await send('events_api', [['over', toEnvelope({ ...event, channel })]]);
        }
      }
      const messages: IncomingMessage[] = [];
      for (let open = last.size; open > 0;) {
        const message = await started.next();
        if (last.has(message.id)) open -= 1;
        else messages.push(message);
      }
      const { core } = started;
      await Promise.all([...last].map((ts) => core.removals.find(({ id }) => id === ts)));
      const changes = {
        edited: core.edits.all.length,
        removed: core.removals.all.filter(({ id }) => !last.has(id)).length,
        pressed: core.presses.all.length,
        stopped: core.stops.all.length,
      };
      return { messages, changes };
    },
    /** The titles of what was answered at its response_url, once all has been handled. */
    async answered() {
      await started.platform[Symbol.asyncDispose]();
      return answered.toSorted();
    },
    complaints: (...levels: string[]) => log.lines.filter(({ level }) => levels.includes(level)),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

function toEnvelope(event: Filled): Filled {
  return { type: 'event_callback', event };
}

/** An event, by who caused it and by how much of it there is. */
function variantsOf(event: Filled, bot: Ears['bot']): Record<string, Filled> {
  const people = { ...without(event, ofBots), edited: undefined };
  const { type, subtype, channel, channel_type } = event;
  const bare = { type, subtype, channel, channel_type };
  if (!['message', 'app_mention'].includes(String(type))) return { anybody: event, nobody: bare };
  return {
    'another bot': { ...event, bot_id: 'B0OTHERBOT' },
    'a person in a thread': people,
    'a person': without(people, ['thread_ts', 'parent_user_id']),
    itself: { ...event, user: bot.user, bot_id: bot.bot },
    nobody: bare,
  };
}

/** The payloads of an event: messages from everywhere, everything else from a channel. */
function payloadsOf(name: string, shape: Shape, { cast, bot }: Ears): Sent[] {
  const kinds = name.startsWith('Message') ? places : { channel: places.channel };
  return Object.entries(kinds).flatMap(([kind, channel]) => {
    const envelope = fill(shape, cast(channel));
    const text = name === 'AppMention' ? `<@${bot.user}> hello` : 'hello';
    const made = { text, subtype: undefined, ...typeOf(name), channel_type: kind };
    const filled = { ...withChange(envelope['event'] as Filled), ...made };
    return Object.entries(variantsOf(filled, bot)).map(([who, told]): Sent => {
      const { ts } = cast(channel);
      const event = { ...told, ts, event_ts: ts };
      return [`${name} in ${kind} by ${who}`, { ...envelope, ...toEnvelope(event) }];
    });
  });
}

/** An edited message and what it was before have no subtype, and different words. */
function withChange({ message, previous_message: before, ...event }: Filled): Filled {
  const edited = message ? { ...message, subtype: undefined, text: 'hello again' } : undefined;
  const previous = before ? { ...before, subtype: undefined } : undefined;
  return { ...event, message: edited, previous_message: previous };
}

const questions = [
  'AppMention in channel',
  'Message in im',
  'MessageFileShare in im',
  'MessageMe in im',
  'MessageThreadBroadcast in im',
].flatMap((title) => [`${title} by a person`, `${title} by a person in a thread`]);

describe.skipIf(!recorded)('everything that Slack was recorded to send', () => {
  test('is acknowledged, and only what people write is heard', async () => {
    await using ears = await openEars();
    const titles = new Map<string, string>();
    for (const [name, shape] of Object.entries(recorded?.events ?? {})) {
      const payloads = payloadsOf(name, shape, ears);
      for (const [title, { event }] of payloads) titles.set((event as { ts: string }).ts, title);
      expect(await ears.send('events_api', payloads)).toEqual([]);
    }
    const { messages, changes } = await ears.heard();
    const titlesOf = (heard: IncomingMessage[]) => heard.map(({ id }) => titles.get(id) ?? id);
    const asked = messages.filter(({ addressed }) => addressed !== 'overheard');
    expect(titlesOf(asked).toSorted()).toEqual(questions);
    const authors = new Set(titlesOf(messages).map((title) => title.replace(/^.* by /, '')));
    expect([...authors].toSorted()).toEqual(['a person', 'a person in a thread']);
    expect(changes).toEqual({ edited: 8, removed: 8, pressed: 0, stopped: 0 });
    expect(ears.complaints('error', 'warn')).toEqual([]);
  });

  test('is acknowledged, and presses on an earlier version’s buttons and menus are answered', async () => {
    await using ears = await openEars();
    const presses = pressesOf(recorded?.interactions['BlockAction'] ?? {}, ears);
    expect(await ears.send('interactive', presses)).toEqual([]);
    const { changes } = await ears.heard();
    expect(changes.pressed).toBe(0);
    expect(await ears.answered()).toEqual(
      [
        'a button as causeway_command_0',
        'a menu as causeway_menu',
        'a text as causeway_command_0',
        'feedback as causeway_command_0',
      ].flatMap((title) => [title, `${title}, seen by one person`]),
    );
    expect(ears.complaints('error', 'warn')).toEqual([]);
  });

  test('is acknowledged, also commands, shortcuts and forms of other apps', async () => {
    await using ears = await openEars();
    const {
      SlashCommand = {},
      MessageShortcut = {},
      ViewSubmission = {},
    } = recorded?.interactions ?? {};
    const filled = (shape: Shape) => fill(shape, ears.cast(places.im));
    const command = { ...filled(SlashCommand), command: '/hello', is_enterprise_install: 'false' };
    expect(await ears.send('slash_commands', [['a command', command]])).toEqual([]);

    const callback_id = 'causeway_shortcut_source_upload';
    const shortcut = { ...filled(MessageShortcut), type: 'message_action', callback_id };
    const submission = { ...filled(ViewSubmission), type: 'view_submission' };
    const view = { ...((submission as Filled)['view'] as Filled), callback_id: 'causeway_command' };
    const search = { type: 'block_suggestion', action_id: 'old', block_id: 'b1', value: 'hello' };
    const sent: Sent[] = [
      ['a shortcut', shortcut],
      ['a shortcut of a message without files', without(shortcut, ['files'])],
      ['a form of somebody else', { ...submission, view }],
      ['a form with nothing in it', { ...submission, view: { ...view, state: undefined } }],
      ['a search in a message', { ...filled(MessageShortcut), ...search }],
    ];
    expect(await ears.send('interactive', sent)).toEqual([]);
    expect(await ears.answered()).toEqual([
      'a command',
      ...sent.slice(0, 2).map(([title]) => title),
    ]);
    expect(ears.complaints('error')).toEqual([]);
  });
});

describe.skipIf(!recorded)('an event or interaction that nothing listens to', () => {
  test('is acknowledged and ignored', async () => {
    await using ears = await openEars();
    const { events = {}, interactions = {} } = recorded ?? {};
    const limited = fill(events['AppRateLimited'] ?? {}, ears.cast(places.channel));
    const notice = { ...(limited['event'] as Filled), type: 'app_rate_limited' };
    expect(await ears.send('events_api', [['a rate limit', notice]])).toEqual([]);

    const types = {
      AttachmentAction: 'interactive_message',
      MessageShortcut: 'message_action',
      ViewClosed: 'view_closed',
      ViewSubmission: 'view_submission',
    };
    const sent = Object.entries(types).map(([name, type]): Sent => {
      const filled = fill(interactions[name] ?? {}, ears.cast(places.channel));
      return [name, { ...filled, type, callback_id: 'old' }];
    });
    expect(await ears.send('interactive', sent)).toEqual([]);
    expect(await ears.answered()).toEqual([]);
    expect(ears.complaints('error')).toEqual([]);
  });
});

/** What people press and choose in messages and forms, of this version and of earlier ones. */
const elements: Record<string, Filled> = {
  'a button': { type: 'button', value: 'hello' },
  'a button without a value': { type: 'button' },
  'a menu': { type: 'static_select', selected_option: { value: 'hello' } },
  'an emptied menu': { type: 'static_select', selected_option: null },
  'a menu of several': { type: 'multi_static_select', selected_options: [{ value: 'hello' }] },
  'a menu of people': { type: 'users_select', selected_user: 'U0SOMEBODY' },
  'a menu of channels': { type: 'conversations_select', selected_conversation: 'C0PUBLIC' },
  'a searched menu': { type: 'external_select', selected_option: { value: 'hello' } },
  'an overflow menu': { type: 'overflow', selected_option: { value: 'hello' } },
  checkboxes: { type: 'checkboxes', selected_options: [] },
  'a date': { type: 'datepicker', selected_date: '2026-11-22' },
  'a text': { type: 'plain_text_input', value: 'hello' },
  feedback: { type: 'feedback_buttons', value: 'hello' },
};

/** Ids that the adapter listens to, and one that it does not. */
const actionIds = ['causeway_reply_stop', 'causeway_command_0', 'causeway_menu', 'old'];

function pressesOf(shape: Shape, { cast }: Ears): Sent[] {
  return Object.entries(elements).flatMap(([title, element]) =>
    actionIds.flatMap((action_id): Sent[] => {
      const actions = [{ ...element, action_id, block_id: 'b1', action_ts: '1.1' }];
      const pressed = { ...fill(shape, cast(places.channel)), type: 'block_actions', actions };
      const hidden = { ...pressed, message: undefined, view: undefined, enterprise: null };
      const bare = without(pressed, ['channel', 'container', 'message', 'response_url']);
      const inForm = { ...bare, container: { type: 'view', view_id: 'V1' } };
      return [
        [`${title} as ${action_id}`, { ...pressed, view: undefined }],
        [`${title} as ${action_id}, seen by one person`, hidden],
        [`${title} as ${action_id} in a form`, inForm],
      ];
    }),
  );
}
