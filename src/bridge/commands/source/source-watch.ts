import { z } from 'zod';
import { ThreadAddress } from '../../conversation/address.ts';
import { DataSource, sourceProgress } from '../../../shared/api/data-source.ts';

const RowState = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('waiting') }),
  z.object({
    kind: z.literal('adding'),
    /** Bytes sent so far, if it is a file. */
    sent: z.object({ bytes: z.number(), of: z.number() }).optional(),
  }),
  z.object({ kind: z.literal('refused'), reason: z.string() }),
  z.object({ kind: z.literal('added'), source: DataSource, duplicate: z.boolean() }),
  z.object({ kind: z.literal('deleted') }),
]);
export type RowState = z.infer<typeof RowState>;

/** A source that is being added or ingested again, and its progress; the name is Markdown. */
const SourceRow = z.object({ name: z.string(), state: RowState });
export type SourceRow = z.infer<typeof SourceRow>;

/** Sources that a command watches, as they are stored for a restart. */
export const SourceWatch = z.object({
  chatbot: z.string(),
  rows: z.array(SourceRow),
  /** Markdown to show below the rows. */
  below: z.string().optional(),
  /** The questions to answer anew once the source is ready. */
  teaches: z.array(z.object({ turn: z.string(), address: ThreadAddress })).optional(),
});
export type SourceWatch = z.infer<typeof SourceWatch>;

/** Whether the service is still ingesting it. */
export function isUnderWay({ state }: SourceRow): boolean {
  return state.kind === 'added' && sourceProgress(state.source.status) === 'waiting';
}

/** Updates a row from the service's list; `isSettled`: the list already contains what was added. */
export function updateRow(
  row: SourceRow,
  sources: readonly DataSource[],
  isSettled: boolean,
): void {
  const { state } = row;
  if (state.kind !== 'added') return;
  const source = sources.find(({ uuid }) => uuid === state.source.uuid);
  if (source) row.state = { ...state, source };
  else if (isSettled) row.state = { kind: 'deleted' };
}
