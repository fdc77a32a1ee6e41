import { toBatches } from '../shared/primitives/iterables.ts';
import { inSteps, type Steps } from '../shared/primitives/steps.ts';
import type { Resource } from '../shared/problems/english.ts';
import { HttpError } from './http-error.ts';
import type { Quota } from './quota.ts';
import type { AgentRecord } from './store/agent-store.ts';
import type { ChatbotRecord } from './store/chatbot-store.ts';
import type { Holder } from './store/choice-store.ts';
import type { MessageRecord } from './store/message-store.ts';
import type { SessionRecord } from './store/session-store.ts';
import type { SourceRecord } from './store/source-store.ts';
import type { Store } from './store/store.ts';
import type { TagRecord } from './store/tag-store.ts';

/**
 * What an owner can access. Every method throws HttpError 404 for what is missing or belongs to
 * someone else.
 */
export interface Access {
  chatbot(owner: string, uuid: string): ChatbotRecord;
  agent(owner: string, uuid: string): AgentRecord;
  source(owner: string, uuid: string): SourceRecord;
  tag(owner: string, uuid: string): TagRecord;
  session(owner: string, uuid: string): SessionRecord;
  message(owner: string, uuid: string): MessageRecord;
}

/** Every look-up uses owner and uuid together. */
export function createAccess(store: Store): Access {
  return {
    chatbot: (owner, uuid) => present(store.chatbots.get(uuid, owner), 'chatbot', uuid),
    agent: (owner, uuid) => present(store.agents.get(uuid, owner), 'agent', uuid),
    source: (owner, uuid) => present(store.sources.get(uuid, owner), 'source', uuid),
    tag: (owner, uuid) => present(store.tags.get(uuid, owner), 'tag', uuid),
    session: (owner, uuid) => present(store.sessions.get(uuid, owner), 'session', uuid),
    message: (owner, uuid) => present(store.messages.get(uuid, owner), 'message', uuid),
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
export function requireTagsOf(store: Store, chatbot: string, uuids: readonly string[]): void {
  if (uuids.length === 0) return;
  const known = new Set(store.tags.listUuids(chatbot));
  for (const uuid of uuids) {
    if (known.has(uuid)) continue;
    throw new HttpError(422, { code: 'tag_foreign', params: { uuid: uuid.slice(0, 64) } });
  }
}

const sourcesPerStep = 500;

interface Chosen {
  owner: string;
  chatbot: string;
  uuids: readonly string[] | undefined;
}

/**
 * Writes the sources that an agent or tag chooses, in steps. Then `hold` runs in one transaction and
 * gives them to it: until then, and if it throws, everything is as before.
 * @param chosen.uuids each once; if undefined, nothing is chosen and nothing given
 * @throws {HttpError} 422 when one of the uuids names no data source of the chatbot, or the owner would
 *   store more than it may
 */
export async function chooseSources<Result>(
  { store, quota }: { store: Store; quota: Pick<Quota, 'within'> },
  { owner, chatbot, uuids }: Chosen,
  hold: (give: (holder: Holder) => void) => Result,
): Promise<Result> {
  if (uuids === undefined) return quota.within(owner, () => hold(() => undefined));
  await inSteps(requireSourcesOf(store, chatbot, uuids));
  const choice = await inSteps(store.choices.write(uuids));
  try {
    return quota.within(owner, () => hold((holder) => store.choices.give(choice, holder)));
  } finally {
    store.choices.release(choice);
    await inSteps(store.choices.deleteUnused());
  }
}

function* requireSourcesOf(store: Store, chatbot: string, uuids: readonly string[]): Steps<void> {
  for (const batch of toBatches(uuids, sourcesPerStep)) {
    const uuid = store.sources.findForeign(chatbot, batch);
    if (uuid !== undefined) throw new HttpError(422, { code: 'source_foreign', params: { uuid } });
    yield;
  }
}
