import { Hono } from 'hono';
import { z } from 'zod';
import { ControlError } from './control-error.ts';
import type { Subscribe } from './events.ts';
import { type Conversation, createMessagesQuery, type Range, takePage } from './messages-query.ts';
import { createReach, type Directory, type Located, type Reach } from './reach.ts';
import { parseWith, readBody, type SentFile } from './request-body.ts';
import type { Form, PlatformOverview, ShownMessage, SubmitOutcome } from './shown.ts';

/** One platform's part of the control API. */
export interface PlatformControl {
  routes: Hono;
  overview(): PlatformOverview;
  subscribe: Subscribe;
  close?(): void;
}

/** What people do on a platform, for the operations that both platforms have. */
export interface ControlledPlatform {
  directory: Directory;
  formats: Formats;
  /**
   * The messages of a conversation that this person can see, each read when it is asked for: the
   * newest first, or, with `after`, the oldest first.
   */
  list(at: Conversation & Range): Iterable<ShownMessage>;
  /** What goes on in a channel or thread; each platform gives its own fields. */
  activity(at: Conversation): object;
  edit(edit: MessageAt & { text: string }): ShownMessage | Promise<ShownMessage>;
  remove(at: MessageAt): void;
  /** Uses an entry of a message's menu, and returns how the bot responds. */
  shortcut(use: MessageAt & { shortcut: string }): Promise<object>;
  /** The forms a person has open; the last one is on top. */
  forms(user: string): Form[];
  submit(submission: Submission): Promise<SubmitOutcome>;
  /** Closes a form without submitting it; false if it was not open. */
  closeForm(at: { user: string; form: string }): boolean | Promise<boolean>;
}

/** How a platform's ids and texts look in a request. */
export interface Formats {
  message: z.ZodType<string>;
  text: z.ZodType<string>;
  shortcut: z.ZodType<string>;
  form: z.ZodType<string>;
  values: z.ZodType<Record<string, string | string[]>>;
}

export interface MessageAt extends Located {
  message: string;
}

export interface Submission {
  user: string;
  form: string;
  values: Record<string, string | string[]>;
  files: Record<string, SentFile[]>;
}

const person = z.string().min(1).max(100);
const owner = z.strictObject({ user: person });
/** A person, by id or name, and a channel, by id, `#name` or `@`. */
export const located = owner.extend({ channel: z.string().min(1).max(100) });

/** Routes for what people do on both platforms. A platform adds those that only it has. */
export function createPlatformRoutes(platform: ControlledPlatform): { routes: Hono; reach: Reach } {
  const routes = new Hono();
  const reach = createReach(platform.directory);
  const { message, text, shortcut, form, values } = platform.formats;
  const messagesQuery = createMessagesQuery(message);
  const removal = located.extend({ message });
  const edit = removal.extend({ text });
  const use = removal.extend({ shortcut });
  const closing = owner.extend({ form });
  const submission = closing.extend({ values: values.default({}) });

  routes.get('/messages', (context) => {
    const query = parseWith(messagesQuery, context.req.query());
    const { thread, before, after, limit } = query;
    const at = { ...reach.place(query), thread };
    const { page, more } = takePage(platform.list({ ...at, before, after }), limit);
    const messages = after ? page : page.toReversed();
    return context.json({ messages, more, ...platform.activity(at) });
  });

  post(routes, '/edit', edit, async (body) => {
    const edited = await platform.edit({ ...body, ...reach.place(body) });
    return { message: edited };
  });

  post(routes, '/delete', removal, (body) => {
    platform.remove({ ...body, ...reach.place(body) });
    return {};
  });

  post(routes, '/shortcut', use, (body) => platform.shortcut({ ...body, ...reach.place(body) }));

  routes.get('/forms', (context) => {
    const { user } = parseWith(owner, context.req.query());
    return context.json({ forms: platform.forms(reach.person(user)) });
  });

  post(routes, '/submit', submission, (body, files) =>
    platform.submit({ ...body, user: reach.person(body.user), files }),
  );

  post(routes, '/close', closing, async (body) => {
    if (await platform.closeForm({ ...body, user: reach.person(body.user) })) return {};
    throw new ControlError(400, `form: no form ${body.form} is open for ${body.user}.`);
  });

  return { routes, reach };
}

/** Adds a route that reads its request with a schema and responds with JSON. */
export function post<T>(
  routes: Hono,
  path: string,
  schema: z.ZodType<T>,
  run: (body: T, files: Record<string, SentFile[]>) => object | Promise<object>,
): void {
  routes.post(path, async (context) => {
    const { body, files } = await readBody(context, schema);
    return context.json(await run(body, files));
  });
}
