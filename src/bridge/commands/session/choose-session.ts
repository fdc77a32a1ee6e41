import { type Session, splitContext } from '../../../shared/api/session.ts';
import { shorten } from '../../../shared/primitives/text.ts';
import { escapeMarkdown } from '../../conversation/markdown/plain-text.ts';
import type { ConversationAction } from '../../conversation/access.ts';
import type { SessionPlace } from '../../conversation/sessions.ts';
import {
  type ActionContext,
  type CommandContext,
  toViewer,
  type CommandTools,
} from '../command.ts';
import { toBatches } from '../../../shared/primitives/iterables.ts';
import { whoManages } from '../chatbot/managers.ts';

/** Names a session; by default the thread's. */
export const sessionOption = {
  type: 'reference',
  to: 'session',
  description: 'session name or here',
} as const;

/** A session that the requester may see, and its place. */
export interface ChosenSession {
  uuid: string;
  place: SessionPlace;
}

/** A session of a list, and its place. */
export interface FoundSession {
  session: Session;
  place: SessionPlace;
}

/** Beyond this many of a workspace, older conversations are not looked through. */
const maxLookedThrough = 300;
/** Platforms limit how much they are asked at once. */
const lookedAtOnce = 40;

/** The sessions with which the requester may do something, newest first, and their places. */
export async function findSessions(
  context: CommandContext & Pick<CommandTools, 'access' | 'threads'>,
  sessions: readonly Session[],
  action: ConversationAction,
): Promise<FoundSession[]> {
  const { access, threads, platform, workspace } = context;
  const places = await threads.placesOfSessions();
  const viewer = toViewer(context);
  const ofWorkspace = sessions
    // Times are whole seconds, and services list the oldest first.
    .toReversed()
    .toSorted((a, b) => b.created_at.localeCompare(a.created_at))
    .flatMap((session) => {
      const place = places.get(session.uuid);
      const { address } = place ?? {};
      const isOurs = address?.platform === platform && address.workspace === workspace;
      return place && isOurs ? [{ session, place }] : [];
    })
    .slice(0, maxLookedThrough);
  const found: FoundSession[] = [];
  for (const batch of toBatches(ofWorkspace, lookedAtOnce)) {
    const may = await Promise.all(
      batch.map(({ place: { address } }) => access.may(action, viewer, { address })),
    );
    found.push(...batch.filter((_, index) => may[index]));
  }
  return found;
}

/**
 * Finds the named session, or else the thread's, or says why the requester can't do that with it. A
 * session that they may not see does not exist for them.
 */
export async function chooseSession(
  context: ActionContext,
  named: Session | undefined,
  action: ConversationAction,
): Promise<ChosenSession | { problem: string }> {
  const { access, threads, texts, thread, slash } = context;
  const uuid = named?.uuid ?? (thread && (await threads.sessionIn(thread)));
  if (uuid === undefined) return { problem: texts.session.noneHere(slash('session list')) };
  const place: SessionPlace | undefined =
    thread && !named
      ? { address: thread, isCurrent: true }
      : (await threads.placesOfSessions()).get(uuid);
  const viewer = toViewer(context);
  const may = async (what: ConversationAction) =>
    place !== undefined && (await access.may(what, viewer, { address: place.address }));
  if (place && (await may(action))) return { uuid, place };
  const problem = (await may('show'))
    ? texts.managersOnly(await whoManages(context))
    : `**session**: ${texts.invalid.unknownName('session', uuid)}`;
  return { problem };
}

const maxLabelLength = 100;

/** In one line; undefined if nothing was asked, or if the service doesn't tell. */
export async function firstQuestion(
  uuid: string,
  { client, signal }: Pick<ActionContext, 'client' | 'signal'>,
): Promise<string | undefined> {
  try {
    const query = { limit: '1', order: 'asc' } as const;
    const [first] = await client.call('listMessages', { params: { uuid }, query, signal });
    if (!first) return undefined;
    return shorten(splitContext(first.query).query.replaceAll(/\s+/g, ' '), maxLabelLength);
  } catch {
    return undefined;
  }
}

/** How people recognise a session: by its first question, or else by its id. */
export async function renderTitle(uuid: string, context: ActionContext): Promise<string> {
  const question = await firstQuestion(uuid, context);
  return question === undefined ? `\`${uuid}\`` : `“${escapeMarkdown(question)}”`;
}

/** Records that a manager read a conversation, unless it is their own direct message. */
export async function auditReading(
  { isManager, access, changed }: ActionContext,
  { uuid, place }: ChosenSession,
): Promise<void> {
  if (!isManager || (await access.roomOf(place.address))?.isDirect) return;
  changed({ what: { uuid } });
}
