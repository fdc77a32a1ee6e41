import { toBatches } from '../shared/primitives/iterables.ts';
import type { Resource } from '../shared/problems/english.ts';
import { HttpError } from './http-error.ts';
import type { Stores } from './store/store.ts';

export type Access = ReturnType<typeof createAccess>;

/**
 * What an owner can access: every look-up uses owner and uuid together. Every method throws HttpError
 * 404 for what is missing or belongs to someone else.
 */
export function createAccess(store: Stores) {
  return {
    chatbot: async (owner: string, uuid: string) =>
      present(await store.chatbots.get(uuid, owner), 'chatbot', uuid),
    agent: async (owner: string, uuid: string) =>
      present(await store.agents.get(uuid, owner), 'agent', uuid),
    source: async (owner: string, uuid: string) =>
      present(await store.sources.get(uuid, owner), 'source', uuid),
    tag: async (owner: string, uuid: string) =>
      present(await store.tags.get(uuid, owner), 'tag', uuid),
    session: async (owner: string, uuid: string) =>
      present(await store.sessions.get(uuid, owner), 'session', uuid),
    message: async (owner: string, uuid: string) =>
      present(await store.messages.get(uuid, owner), 'message', uuid),
  };
}

function present<Record>(record: Record | undefined, noun: Resource, uuid: string): Record {
  if (record === undefined)
    throw new HttpError(404, {
      code: 'resource_unknown',
      params: { noun, uuid: uuid.slice(0, 64) },
    });
  return record;
}

/** @throws {HttpError} 422 when one more would exceed the max */
export function requireRoom(noun: Resource, count: number, max: number): void {
  if (count < max) return;
  throw new HttpError(422, { code: 'resource_limit', params: { noun, count } });
}

/** @throws {HttpError} 422 when one of the uuids names no source tag of the chatbot */
export async function requireTagsOf(
  store: Pick<Stores, 'tags'>,
  chatbot: string,
  uuids: readonly string[],
): Promise<void> {
  if (uuids.length === 0) return;
  const known = new Set(await store.tags.listUuids(chatbot));
  for (const uuid of uuids) {
    if (known.has(uuid)) continue;
    throw new HttpError(422, { code: 'tag_foreign', params: { uuid: uuid.slice(0, 64) } });
  }
}

/** Uuids looked up by one statement. */
const batchSize = 500;

/** @throws {HttpError} 422 when one of the uuids names no data source of the chatbot */
export async function requireSourcesOf(
  store: Pick<Stores, 'sources'>,
  chatbot: string,
  uuids: readonly string[],
): Promise<void> {
  for (const batch of toBatches(uuids, batchSize)) {
    const known = new Set(await store.sources.listOf(chatbot, batch));
    const uuid = batch.find((each) => !known.has(each));
    if (uuid === undefined) continue;
    throw new HttpError(422, { code: 'source_foreign', params: { uuid: uuid.slice(0, 64) } });
  }
}
