import type { App, BlockAction, ViewSubmitAction } from '@slack/bolt';
import { z } from 'zod';
import { renderProblem } from '../../shared/problems/problem.ts';
import { toTexts } from '../commands/adapters/modal-values.ts';
import { inTime } from '../../shared/primitives/time.ts';
import type { Action } from '../commands/command.ts';
import type { FileReader } from '../commands/files.ts';
import { toTimeZone } from '../commands/formats.ts';
import {
  type CommandUse,
  findAction,
  type Invocation,
  type Result,
} from '../commands/invocation.ts';
import type { RawValue } from '../commands/option.ts';
import { type Texts, textsFor } from '../texts/texts.ts';
import { formAction, parseTeachValue, teachActions } from './buttons.ts';
import { toPlatformError } from './errors.ts';
import type { SlackFile } from './files.ts';
import { fillAsTyped, fillIn, maxChoices } from './fill-modal.ts';
import { toOption } from './modal-fields.ts';
import {
  fieldsOf,
  type FilledModal,
  modalId,
  modalProblems,
  type ModalPurpose,
  parseModal,
  parsePurpose,
  renderModal,
} from './modal.ts';
import { type Person, toOutsider } from './people.ts';
import { createResponder, tellRequester } from './result-target.ts';
import { createContext, runCommand, toGiver } from './run-command.ts';
import type { SlackWorkspace, Workspaces } from './workspace.ts';

/**
 * Slack waits three seconds for suggestions, for a modal and for the response to a submission.
 * Looking up the reader and the values of fields may take this long; the rest is for the network.
 */
const readerMs = 700;
const fillingMs = 1_500;

/** An interaction with which Slack allows opening a modal: once, within three seconds. */
interface Trigger {
  id: string;
  user: string;
}

type Values = Record<string, string>;

/** A submitted modal, as it is kept if its command is refused. Response URLs are secrets. */
interface SentModal {
  purpose: Omit<ModalPurpose, 'responseUrl'>;
  values: FilledModal['values'];
  user: string;
}

/** Suggests values for the menus of modals, and runs their commands on submission. */
export function handleModals(app: App, workspaces: Workspaces): void {
  // docs.slack.dev/reference/interaction-payloads/block_suggestion-payload
  app.options<'block_suggestion'>(
    { type: 'block_suggestion', action_id: /^/ },
    async ({ body, ack }) => {
      const { data } = asked.safeParse(body);
      const purpose = data && parsePurpose(data.view);
      const workspace = workspaces.of(body);
      if (!purpose || !workspace) return ack({ options: [] });
      const found = await inTime(suggest(purpose, data, workspace), fillingMs, workspace.sleep);
      await ack({ options: (found ?? []).map(toOption) });
    },
  );

  app.view<ViewSubmitAction>(modalId, async ({ view, body, ack }) => {
    const modal = parseModal(view);
    const workspace = workspaces.of(body);
    if (!modal || !workspace) return ack({ response_action: 'clear' });
    const { runner, running, files, trustedOrigins } = workspace;
    const { command, action: name, responseUrl: url, thread } = modal.purpose;
    const responder = createResponder({ url, trustedOrigins, thread });
    const reader = await findReader(body.user.id, workspace);
    const texts = textsFor(reader.locale);
    const action = findAction(runner.commands, command, name);
    if (!action) {
      await ack({ response_action: 'clear' });
      return running.start(tellOutdated(body.user.id, modal.purpose, workspace), command);
    }
    const errors = modalProblems(action, modal, {
      maxFileBytes: files.maxBytes,
      reading: { texts, timeZone: toTimeZone(reader.timeZone), nowMs: Date.now() },
    });
    if (Object.keys(errors).length > 0) return ack({ response_action: 'errors', errors });
    const { stage, ...purpose } = modal.purpose;
    if (stage === 'which') {
      const filled = { purpose, action, given: toTexts(modal.values) };
      const next = await toView(filled, reader, workspace);
      return ack({ response_action: 'update', view: next });
    }
    const context = toGiver(body.user, purpose.channel, workspace);
    const accepted = await runner.accept({ command, action: name, context });
    await ack();
    const values = toValues(modal, action, files);
    const offerAgain = async (result: Result) => {
      if (!result.isRefused) return result;
      const { responseUrl: _, ...kept } = purpose;
      const sent: SentModal = { purpose: kept, values: modal.values, user: body.user.id };
      const id = await runner.forms.keep(sent);
      const again = id ? [{ id: `form:${id}`, label: texts.forms.again }] : [];
      return { ...result, buttons: [...again, ...(result.buttons ?? [])] };
    };
    const given = { purpose, user: body.user.id, values, responder, accepted };
    running.start(runCommand(given, workspace, offerAgain), command);
  });

  app.action<BlockAction>({ type: 'block_actions', action_id: formAction }, async (args) => {
    const { data } = pressed.safeParse({ ...args.body, ...args.action });
    const workspace = workspaces.of(args.body);
    await args.ack();
    if (data && workspace) workspace.running.start(reopen(data, workspace), 'a button');
  });

  app.action<BlockAction>({ type: 'block_actions', action_id: teachActions }, async (args) => {
    const { data } = teaching.safeParse({ ...args.body, ...args.action });
    const workspace = workspaces.of(args.body);
    await args.ack();
    if (data && workspace) workspace.running.start(teach(data, workspace), 'a button');
  });

  /** Opens the modal that teaches the answer to an open question, or says why there is none. */
  async function teach(press: z.infer<typeof teaching>, workspace: SlackWorkspace): Promise<void> {
    const { trigger_id: id, user, channel, container, message, value: gap } = press;
    const thread = container?.thread_ts ?? message?.thread_ts;
    const use = { command: 'source', action: 'answer', channel: channel.id, thread };
    const purpose = { ...use, responseUrl: press.response_url };
    const action = findAction(workspace.runner.commands, use.command, use.action);
    const given = toUse(purpose, await findReader(user.id, workspace), workspace);
    const filling = workspace.runner.prefill({ ...given, values: { gap } });
    const filled = await inTime(filling, fillingMs, workspace.sleep);
    if (action && filled?.['question'] !== undefined) {
      const modal = { purpose: { ...purpose, preset: { gap } }, action, given: filled };
      return openModal({ id, user: user.id }, modal, workspace);
    }
    const { trustedOrigins } = workspace;
    const responder = createResponder({ url: press.response_url, trustedOrigins, thread });
    await runCommand({ purpose, user: user.id, values: { gap }, responder }, workspace);
  }

  /** Opens the modal of a refused command again, with what was typed. Slack lets files not be filled in. */
  async function reopen(press: z.infer<typeof pressed>, workspace: SlackWorkspace): Promise<void> {
    const { trigger_id: id, user, channel, response_url: responseUrl } = press;
    const { commands, forms } = workspace.runner;
    const found = (await forms.find(press.value)) as SentModal | undefined;
    const sent = found?.user === user.id ? found : undefined;
    const action = sent && findAction(commands, sent.purpose.command, sent.purpose.action);
    if (!action) return tellOutdated(user.id, { channel: channel.id, responseUrl }, workspace);
    const purpose = { ...sent.purpose, responseUrl };
    const modal = { purpose, action, given: toTexts(sent.values) };
    await openModal({ id, user: user.id }, modal, workspace);
  }
}

/** A modal to show: what it is for, and the values that were given. */
interface NewModal {
  purpose: ModalPurpose;
  action: Action;
  given: Values;
}

/**
 * Opens the modal of an action, filled in with the given and the current values. If it does not
 * open, tells the requester, then rejects.
 */
export async function openModal(
  { id, user }: Trigger,
  modal: NewModal,
  workspace: SlackWorkspace,
): Promise<void> {
  const { clients } = workspace;
  try {
    const view = await toView(modal, await findReader(user, workspace), workspace);
    await clients.writes.views.open({ trigger_id: id, view });
  } catch (error) {
    const { problem } = toPlatformError(error);
    await tell(user, modal.purpose, workspace, (texts) =>
      texts.forms.notOpened(renderProblem(problem, texts)),
    );
    throw error;
  }
}

async function toView(
  { purpose, action, given }: NewModal,
  reader: Person,
  workspace: SlackWorkspace,
): Promise<ReturnType<typeof renderModal>> {
  const { runner, files, sleep } = workspace;
  const use = toUse(purpose, reader, workspace);
  const fields = fieldsOf(action, purpose);
  const filling = fillIn(runner, use, { action, fields, given });
  const filled = (await inTime(filling, fillingMs, sleep)) ?? fillAsTyped(fields, given);
  const texts = textsFor(use.context.locale);
  return renderModal({ action, purpose, maxFileBytes: files.maxBytes, texts, ...filled });
}

function toUse(purpose: ModalPurpose, reader: Person, workspace: SlackWorkspace): CommandUse {
  const { command, action, channel, thread } = purpose;
  const context = createContext(reader, { channel, thread }, workspace);
  return { command, action, context };
}

/** A reader who is not found in time gets English, and nothing that is not for outsiders. */
async function findReader(id: string, { people, sleep }: SlackWorkspace): Promise<Person> {
  return (await inTime(people.find(id), readerMs, sleep)) ?? toOutsider(id, 'unknown');
}

async function suggest(
  purpose: ModalPurpose,
  { user, action_id: option, value }: Asked,
  workspace: SlackWorkspace,
) {
  const use = toUse(purpose, await findReader(user.id, workspace), workspace);
  return workspace.runner.complete({ ...use, option, typed: value, limit: maxChoices });
}

type Place = Pick<ModalPurpose, 'responseUrl' | 'channel' | 'thread'>;

function tell(
  user: string,
  { responseUrl: url, channel, thread }: Place,
  workspace: SlackWorkspace,
  render: (texts: Texts) => string,
): Promise<void> {
  const { trustedOrigins } = workspace;
  const responder = createResponder({ url, trustedOrigins, thread });
  return tellRequester(workspace, { channel, thread, user, responder }, render);
}

function tellOutdated(user: string, place: Place, workspace: SlackWorkspace): Promise<void> {
  return tell(user, place, workspace, ({ forms }) => forms.outdated);
}

/** A press of the button that opens a modal again; `value` is the modal's id. */
const pressed = z.object({
  trigger_id: z.string(),
  response_url: z.string(),
  user: z.object({ id: z.string() }),
  channel: z.object({ id: z.string() }),
  value: z.string().transform((value) => value.replace(/^form:/, '')),
});

/** A press of a button that teaches an answer. */
const teaching = pressed.extend({
  container: z.object({ thread_ts: z.string().optional() }).optional(),
  message: z.object({ thread_ts: z.string().optional() }).optional(),
  value: z.string().transform(parseTeachValue),
});

/** A request for suggestions. */
const asked = z.object({
  user: z.object({ id: z.string() }),
  view: z.object({ private_metadata: z.string() }),
  action_id: z.string(),
  value: z.string(),
});

type Asked = z.infer<typeof asked>;

function toValues(
  { values, purpose }: FilledModal,
  action: Action,
  files: FileReader<SlackFile>,
): Invocation['values'] {
  const filled = Object.entries(values).map(([name, value]): [string, RawValue] => [
    name,
    typeof value === 'string' ? value : [value].flat().map((file) => files.toIncomingFile(file)),
  ]);
  const { preset } = purpose;
  const fileOption = Object.entries(action.options).find(([, { type }]) => type === 'file')?.[0];
  if (!purpose.files || fileOption === undefined)
    return { ...Object.fromEntries(filled), ...preset };
  // The modal keeps only the fields of a file that it shows. Slack has the rest.
  const handed = purpose.files.map((file) =>
    files.toIncomingFile({ ...file, file_access: 'check_file_info' }),
  );
  return { ...Object.fromEntries(filled), [fileOption]: handed };
}
