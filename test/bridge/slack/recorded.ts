import { readPlatformData } from '../../fixtures/judges/platform-data.ts';
import type { Shape } from '../../fixtures/judges/slack-shape.ts';

/** What was recorded of Slack that it sends to apps; undefined where the recordings are missing. */
export const recorded = readPlatformData<{
  events: Record<string, Shape>;
  interactions: Record<string, Shape>;
}>('slack/shapes.json');

/** A recorded payload with values in it. */
export type Filled = Record<string, unknown>;

/** What the values are about. */
export interface Cast {
  team: string;
  channel: string;
  person: string;
  /** Where commands and interactions can be answered. */
  responseUrl: string;
  ts: string;
}

/** Fills a shape with plausible values, by its types and the names of its keys. */
export function fill(shape: Shape, cast: Cast): Filled {
  return fillValue(shape, '', cast) as Filled;
}

function fillValue(shape: Shape, key: string, cast: Cast): unknown {
  if (Array.isArray(shape)) {
    const [item] = shape;
    return item === undefined ? [] : [fillValue(item, key, cast)];
  }
  if (typeof shape === 'object') {
    return Object.fromEntries(
      Object.entries(shape).map(([inner, field]) => {
        return [inner, fillValue(field, inner === 'id' ? `${key}_id` : inner, cast)];
      }),
    );
  }
  if (shape === 'any') return parts[key] ?? { type: key };
  if (shape === 'boolean') return key === 'hidden' || key === 'is_bot';
  if (shape === 'number') return key.endsWith('time') ? Math.floor(Number(cast.ts)) : 1;
  return fillText(key, cast);
}

/** Blocks as Slack's client makes them, and a message that was shared. */
const parts: Record<string, object> = {
  blocks: {
    type: 'rich_text',
    block_id: 'b1',
    elements: [
      { type: 'rich_text_section', elements: [{ type: 'text', text: 'hello' }] },
      { type: 'rich_text_list', style: 'bullet', indent: 0, elements: [] },
    ],
  },
  attachments: {
    id: 1,
    is_share: true,
    is_msg_unfurl: true,
    channel_id: 'C0ELSEWHERE',
    author_id: 'U0ELSEWHERE',
    ts: '1600000000.000100',
    text: 'what was shared',
    fallback: '[January 1st] ada: what was shared',
    message_blocks: [],
    footer: 'From another channel',
  },
};

function fillText(key: string, { team, channel, person, responseUrl, ts }: Cast): string {
  if (/(?:^|_)ts$/.test(key)) return ts;
  if (key === 'response_url') return responseUrl;
  if (/(?:^|_)(?:url|link)(?:_|$)/.test(key)) return `https://example.com/${key}`;
  if (/(?:^|_)channel(?:_id)?$/.test(key)) return channel;
  if (/(?:^|_)team(?:_id)?$/.test(key)) return team;
  if (/(?:^|_)user(?:_id)?$|^(?:inviter|creator)$/.test(key)) return person;
  return texts[key] ?? (key.endsWith('_id') ? 'X0THING' : key);
}

const texts: Record<string, string> = {
  text: 'hello',
  value: 'hello',
  bot_id: 'B0OTHERBOT',
  api_app_id: 'A0CAUSEWAY',
  app_id: 'A0OTHERAPP',
  enterprise_id: 'E0ENTERPRISE',
  mode: 'hosted',
  mimetype: 'text/plain',
};

/** A copy of a payload without these keys, wherever they are in it. */
export function without(filled: Filled, keys: readonly string[]): Filled {
  const text = JSON.stringify(filled, (key, value: unknown) =>
    keys.includes(key) ? undefined : value,
  );
  return JSON.parse(text) as Filled;
}

/** The type and subtype of an event, by its name in the recordings. */
export function typeOf(name: string): { type: string; subtype?: string } {
  const [, subtype] = /^Message(.*)$/.exec(name) ?? [];
  if (subtype === undefined) return { type: toSnakeCase(name) };
  if (subtype === '') return { type: 'message' };
  return { type: 'message', subtype: subtypes[subtype] ?? toSnakeCase(subtype) };
}

const subtypes: Record<string, string> = {
  Bot: 'bot_message',
  Me: 'me_message',
  Changed: 'message_changed',
  Deleted: 'message_deleted',
  Replied: 'message_replied',
};

function toSnakeCase(name: string): string {
  return name.replace(/(?<!^)[A-Z]/g, (letter) => `_${letter}`).toLowerCase();
}
