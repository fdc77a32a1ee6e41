import { z } from 'zod';
import { HexColor, LooseText, looseList, Name, Timestamp, Uuid } from './fields.ts';

export const SourceTag = z.looseObject({
  uuid: Uuid,
  name: LooseText,
  color: LooseText,
  data_source_uuids: looseList(Uuid),
  created_at: Timestamp,
  modified_at: Timestamp,
});
export type SourceTag = z.infer<typeof SourceTag>;

const sources = z.array(Uuid).max(10_000).optional();

export const SourceTagCreate = z.strictObject({
  name: Name,
  color: HexColor,
  data_source_uuids: sources,
});
export type SourceTagCreate = z.infer<typeof SourceTagCreate>;

export const SourceTagUpdate = z.strictObject({
  name: Name.optional(),
  color: HexColor.optional(),
  data_source_uuids: sources,
});
