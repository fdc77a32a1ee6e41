import type { z } from 'zod';
import type { SourceTag, SourceTagCreate, SourceTagUpdate } from '../shared/api/data-source.ts';
import { inSteps } from '../shared/primitives/steps.ts';
import { type Access, chooseSources, requireRoom } from './access.ts';
import { createUuid, toTimestamp } from './identifiers.ts';
import type { Quota } from './quota.ts';
import type { Store } from './store/store.ts';
import type { TagRecord } from './store/tag-store.ts';

type TagAnswer = z.input<typeof SourceTag>;

export interface SourceTags {
  create(owner: string, chatbot: string, request: SourceTagCreate): Promise<TagAnswer>;
  list(owner: string, chatbot: string): IteratorObject<TagAnswer>;
  update(
    owner: string,
    uuid: string,
    request: z.output<typeof SourceTagUpdate>,
  ): Promise<TagAnswer>;
  /** Its sources stay. */
  delete(owner: string, uuid: string): Promise<void>;
}

const maxTags = 1000;

/** The rules of source tags. Each method throws HttpError when it can't do its work. */
export function createSourceTags(parts: {
  store: Store;
  access: Access;
  quota: Pick<Quota, 'within'>;
  now: () => number;
}): SourceTags {
  const { store, access, quota, now } = parts;

  return {
    async create(owner, chatbot, request) {
      const requireRoomFor = () => {
        access.chatbot(owner, chatbot);
        requireRoom('tag', store.tags.listUuids(chatbot).length, maxTags);
      };
      requireRoomFor();
      const sources = [...new Set(request.data_source_uuids)];
      const chosen = { owner, chatbot, uuids: sources };
      return await chooseSources({ store, quota }, chosen, (give) => {
        requireRoomFor();
        const tag: TagRecord = {
          uuid: createUuid(),
          chatbot,
          name: request.name,
          color: request.color,
          sources,
          createdMs: now(),
          modifiedMs: now(),
        };
        store.tags.insert(tag);
        give({ noun: 'tag', uuid: tag.uuid });
        return toTag(tag);
      });
    },

    list(owner, chatbot) {
      access.chatbot(owner, chatbot);
      return store.tags.each(chatbot).map(toTag);
    },

    async update(owner, uuid, request) {
      const { chatbot } = access.tag(owner, uuid);
      const uuids = request.data_source_uuids && [...new Set(request.data_source_uuids)];
      return await chooseSources({ store, quota }, { owner, chatbot, uuids }, (give) => {
        const tag = access.tag(owner, uuid);
        const changed: TagRecord = {
          ...tag,
          name: request.name ?? tag.name,
          color: request.color ?? tag.color,
          sources: uuids ?? tag.sources,
          modifiedMs: now(),
        };
        store.tags.update(changed);
        give({ noun: 'tag', uuid });
        return toTag(changed);
      });
    },

    async delete(owner, uuid) {
      access.tag(owner, uuid);
      store.tags.delete(uuid);
      await inSteps(store.choices.deleteUnused());
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
