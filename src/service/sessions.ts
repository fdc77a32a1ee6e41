import type { z } from 'zod';
import type { Session, SessionCreate, SessionFilter } from '../shared/api/session.ts';
import { inSteps } from '../shared/primitives/in-steps.ts';
import type { Access } from './access.ts';
import { createUuid, toTimestamp } from './identifiers.ts';
import type { Quota } from './quota.ts';
import type { Replies } from './replies.ts';
import type { SessionRecord } from './store/session-store.ts';
import type { Store } from './store/store.ts';

type SessionAnswer = z.input<typeof Session>;

export interface Sessions {
  create(
    owner: string,
    chatbot: string,
    request: z.output<typeof SessionCreate> | undefined,
  ): SessionAnswer;
  list(owner: string, chatbot: string, filter: SessionFilter): IteratorObject<SessionAnswer>;
  get(owner: string, uuid: string): SessionAnswer;
  delete(owner: string, uuid: string): Promise<void>;
}

const dayMs = 24 * 60 * 60 * 1000;

/** The rules of sessions. Deleting one ends its running replies. */
export function createSessions(parts: {
  store: Store;
  access: Access;
  quota: Pick<Quota, 'within'>;
  replies: Pick<Replies, 'end'>;
  now: () => number;
}): Sessions {
  const { store, access, quota, replies, now } = parts;

  return {
    create(owner, chatbot, request) {
      access.chatbot(owner, chatbot);
      const session: SessionRecord = {
        uuid: createUuid(),
        chatbot,
        variables: request?.initial_variables ?? {},
        learned: {},
        createdMs: now(),
        modifiedMs: now(),
      };
      quota.within(owner, () => store.sessions.insert(session));
      return toSession(session);
    },

    list(owner, chatbot, filter) {
      access.chatbot(owner, chatbot);
      const { start_timestamp: start, end_timestamp: end } = filter;
      const fromMs = start === undefined ? 0 : Date.parse(start);
      const toMs = end === undefined ? Number.MAX_SAFE_INTEGER : toLastMs(end);
      return store.sessions.each(chatbot, fromMs, toMs).map(toSession);
    },

    get: (owner, uuid) => toSession(access.session(owner, uuid)),

    async delete(owner, uuid) {
      access.session(owner, uuid);
      replies.end({ session: uuid });
      await inSteps(store.sessions.delete(uuid));
    },
  };
}

/** A time in ms; for a date alone, its last. */
function toLastMs(time: string): number {
  return Date.parse(time) + (time.includes('T') ? 0 : dayMs - 1);
}

function toSession(session: SessionRecord): SessionAnswer {
  return {
    uuid: session.uuid,
    created_at: toTimestamp(session.createdMs),
    modified_at: toTimestamp(session.modifiedMs),
    ...(Object.keys(session.variables).length > 0 && { initial_variables: session.variables }),
    ...(Object.keys(session.learned).length > 0 && {
      variables: { ...session.learned, ...session.variables },
    }),
  };
}
