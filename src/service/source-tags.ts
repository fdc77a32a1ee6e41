import type { z } from 'zod';
import type { SourceTag, SourceTagCreate, SourceTagUpdate } from '../api/source-tag.ts';
import { type Access, requireRoom, requireSourcesOf } from './access.ts';
import { createUuid, toTimestamp } from './identifiers.ts';
import type { Store } from './store/store.ts';
import type { TagRecord } from './store/tag-store.ts';

type TagAnswer = z.input<typeof SourceTag>;

export interface SourceTags {
  create(owner: string, chatbot: string, request: SourceTagCreate): TagAnswer;
  list(owner: string, chatbot: string): IteratorObject<TagAnswer>;
  update(owner: string, uuid: string, request: z.output<typeof SourceTagUpdate>): TagAnswer;
  /** Its sources stay. */
  delete(owner: string, uuid: string): void;
}

const maxTags = 1000;

/** The rules of source tags. Each method throws HttpError when it can't do its work. */
export function createSourceTags(parts: {
  store: Store;
  access: Access;
  now: () => number;
}): SourceTags {
  const { store, access, now } = parts;

  return {
    create(owner, chatbot, request) {
      access.chatbot(owner, chatbot);
      requireRoom('tag', store.tags.listUuids(chatbot).length, maxTags);
      const sources = [...new Set(request.data_source_uuids)];
      requireSourcesOf(store, chatbot, sources);
      const tag: TagRecord = {
        uuid: createUuid(),
        chatbot,
        name: request.name,
        color: request.color,
        sources,
        createdMs: now(),
        modifiedMs: now(),
      };
      store.transaction(() => store.tags.insert(tag));
      return toTag(tag);
    },

    list(owner, chatbot) {
      access.chatbot(owner, chatbot);
      return store.tags.each(chatbot).map(toTag);
    },

    update(owner, uuid, request) {
      const tag = access.tag(owner, uuid);
      requireSourcesOf(store, tag.chatbot, request.data_source_uuids ?? []);
      const changed: TagRecord = {
        ...tag,
        name: request.name ?? tag.name,
        color: request.color ?? tag.color,
        sources: [...new Set(request.data_source_uuids ?? tag.sources)],
        modifiedMs: now(),
      };
      store.transaction(() => store.tags.update(changed));
      return toTag(changed);
    },

    delete(owner, uuid) {
      access.tag(owner, uuid);
      store.tags.delete(uuid);
    },
  };
}

function toTag(tag: TagRecord): TagAnswer {
  return {
    uuid: tag.uuid,
    name: tag.name,
    color: tag.color,
    data_source_uuids: tag.sources,
    created_at: toTimestamp(tag.createdMs),
    modified_at: toTimestamp(tag.modifiedMs),
  };
}
