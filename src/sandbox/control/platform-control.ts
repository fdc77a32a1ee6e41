import { Hono } from 'hono';
import { z } from 'zod';
import type { Subscribe } from './events.ts';
import { ControlError, parseWith, readBody, type SentFile } from './request-body.ts';
import type {
  Modal,
  Person,
  Place,
  PlatformOverview,
  ShownMessage,
  SubmitOutcome,
} from './shown.ts';

/** One platform's part of the control API. */
export interface PlatformControl {
  routes: Hono;
  overview(): PlatformOverview;
  subscribe: Subscribe;
}

/** What people do on a platform, for the operations that both platforms have. */
interface ControlledPlatform {
  directory: Directory;
  formats: Formats;
  /**
   * The messages of a conversation that this person can see, each read when it is asked for: the
   * newest first, or, with `after`, the oldest first.
   */
  list(at: Conversation & Range): Iterable<ShownMessage>;
  /** What the bot is doing in a channel or thread; each platform has its own fields. */
  activity(at: Conversation): object;
  edit(edit: MessageAt & { text: string }): ShownMessage | Promise<ShownMessage>;
  remove(at: MessageAt): void;
  /** Uses an entry of a message's menu, and returns how the bot responds. */
  shortcut(use: MessageAt & { shortcut: string }): Promise<object>;
  /** The modals a person has open; the last one is on top. */
  modals(user: string): Modal[];
  submit(submission: Submission): Promise<SubmitOutcome>;
  /** Closes a modal without submitting it; false if it was not open. */
  closeModal(at: { user: string; modal: string }): boolean | Promise<boolean>;
}

/** A platform's people and channels. */
export interface Directory {
  /** The people to choose from: neither the bot nor the platform's own. */
  people(): Person[];
  channels(): Place[];
  /** A person's direct channel with the bot. */
  direct(user: string): Place;
}

/** How a platform's ids and texts look in a request. */
export interface Formats {
  message: z.ZodType<string>;
  text: z.ZodType<string>;
  shortcut: z.ZodType<string>;
  modal: z.ZodType<string>;
  values: z.ZodType<Record<string, string | string[]>>;
}

/** The ids of a person and a channel; in a request, what names them. */
export type Located = z.infer<typeof located>;

/** A channel, or a thread together with the message it starts from. */
export type Conversation = Located & { thread?: string };

/** Which of a conversation's messages to list, by their ids. */
export interface Range {
  /** Only what is older. */
  before?: string;
  /** Only what is newer. */
  after?: string;
}

export interface MessageAt extends Located {
  message: string;
}

interface Submission {
  user: string;
  modal: string;
  values: Record<string, string | string[]>;
  files: Record<string, SentFile[]>;
}

const name = z.string().min(1).max(100);
const owner = z.strictObject({ user: name });
/** A person, by id or name, and a channel, by id, `#name` or `@`. */
export const located = owner.extend({ channel: name });

/** Routes for what people do on both platforms. A platform adds those that only it has. */
export function createPlatformRoutes(platform: ControlledPlatform): { routes: Hono; reach: Reach } {
  const routes = new Hono();
  const reach = createReach(platform.directory);
  const { message, text, shortcut, modal, values } = platform.formats;
  const listing = located
    .extend({
      thread: name.optional(),
      before: message.optional(),
      after: message.optional(),
      /** Max messages. */
      limit: z
        .string()
        .regex(/^\d{1,4}$/, 'must be a number of messages')
        .optional(),
    })
    .refine(({ before, after }) => !before || !after, 'Give before or after, not both.');
  const removal = located.extend({ message });
  const edit = removal.extend({ text });
  const use = removal.extend({ shortcut });
  const closing = owner.extend({ modal });
  const submission = closing.extend({ values: values.default({}) });

  routes.get('/messages', (context) => {
    const query = parseWith(listing, context.req.query());
    const { thread, before, after, limit } = query;
    const at = { ...reach.place(query), thread };
    const { page, more } = takePage(platform.list({ ...at, before, after }), limit);
    const messages = after ? page : page.toReversed();
    return context.json({ messages, more, ...platform.activity(at) });
  });

  post(routes, '/edit', edit, async (body) => ({
    message: await platform.edit({ ...body, ...reach.place(body) }),
  }));

  post(routes, '/delete', removal, (body) => platform.remove({ ...body, ...reach.place(body) }));

  post(routes, '/shortcut', use, (body) => platform.shortcut({ ...body, ...reach.place(body) }));

  routes.get('/modals', (context) => {
    const { user } = parseWith(owner, context.req.query());
    return context.json({ modals: platform.modals(reach.person(user)) });
  });

  post(routes, '/submit', submission, (body, files) =>
    platform.submit({ ...body, user: reach.person(body.user), files }),
  );

  post(routes, '/close', closing, async (body) => {
    const wasOpen = await platform.closeModal({ ...body, user: reach.person(body.user) });
    if (!wasOpen) {
      throw new ControlError(400, `modal: no modal ${body.modal} is open for ${body.user}.`);
    }
  });

  return { routes, reach };
}

/** Adds a route that reads its request with a schema and responds with JSON, `{}` if with nothing else. */
export function post<T>(
  routes: Hono,
  path: string,
  schema: z.ZodType<T>,
  run: (body: T, files: Record<string, SentFile[]>) => object | void | Promise<object | void>,
): void {
  routes.post(path, async (context) => {
    const { body, files } = await readBody(context, schema);
    return context.json((await run(body, files)) ?? {});
  });
}

const maxShownMessages = 200;

/** The first of the messages, and whether there are more; none beyond them is read. */
function takePage<T>(messages: Iterable<T>, limit?: string): { page: T[]; more: boolean } {
  const max = limit === undefined ? maxShownMessages : Math.max(1, Number(limit));
  const page = [...Iterator.from(messages).take(max + 1)];
  return { page: page.slice(0, max), more: page.length > max };
}

/** Finds the people and channels that requests name. */
interface Reach {
  /**
   * A person's id, by id or name.
   * @throws {ControlError} 400 when there is no such person
   */
  person(key: string): string;
  /**
   * A person and a channel they are in: by id, by `#name`, or `@` for their direct channel with the
   * bot.
   * @throws {ControlError} 400 when there is no such person or channel, or the person is not in it
   */
  place(at: Located): Located;
}

function createReach(directory: Directory): Reach {
  function findPerson(key: string): Person {
    const people = directory.people();
    const found = people.find(({ id, name }) => id === key || name === key.toLowerCase());
    if (found) return found;
    const names = people.map(({ name }) => name).join(', ');
    throw new ControlError(400, `user: unknown person ${key}. Use one of: ${names}.`);
  }

  function findChannel(key: string, user: Person): Place {
    const name = key.replace(/^#/, '');
    const isMeant = (one: Place) => one.id === key || (one.kind === 'channel' && one.name === name);
    const found = key === '@' ? directory.direct(user.id) : directory.channels().find(isMeant);
    if (!found) throw new ControlError(400, `channel: unknown channel ${key}.`);
    if (!found.people || found.people.includes(user.id)) return found;
    throw new ControlError(400, `channel: ${user.name} is not in ${key}.`);
  }

  return {
    person: (key) => findPerson(key).id,
    place(at) {
      const user = findPerson(at.user);
      return { user: user.id, channel: findChannel(at.channel, user).id };
    },
  };
}
