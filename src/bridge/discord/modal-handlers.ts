import {
  type BaseInteraction,
  type Client,
  Events,
  InteractionResponseType,
  type ModalSubmitInteraction,
} from 'discord.js';
import {
  isSubject,
  keepFitting,
  toTexts,
  labelOf,
  titleOf,
} from '../commands/adapters/modal-values.ts';
import {
  type CommandButton,
  findAction,
  type Result,
  type Suggestion,
} from '../commands/invocation.ts';
import { inTime } from '../../shared/primitives/time.ts';
import type { IncomingFile } from '../commands/files.ts';
import { type Option, type RawValues, reviveValues } from '../commands/option.ts';
import { isList } from '../commands/runner/parse-values.ts';
import { quote } from '../conversation/markdown/plain-text.ts';
import { type Texts, textsFor } from '../texts/texts.ts';
import { parseModalButtonId } from './buttons.ts';
import type { DiscordContext } from './context.ts';
import { maxFieldLength, maxFields, parseModalId, readModal, renderModal } from './modal.ts';
import { shorten } from '../../shared/primitives/text.ts';
import { createWhisper, respond } from './result-target.ts';
import {
  type AnsweredInteraction,
  contextOf,
  runCommand,
  type SentCommand,
  tell,
} from './run-command.ts';

/** A command, who gave it where, and the first option that its modal asks for: JSON. */
interface KeptModal extends SentCommand {
  user: string;
  channel: string | null;
  from: number;
  pageSize: number;
  /** The initial values of its fields. */
  shown: Record<string, string>;
  /** The options that it doesn't ask for, although they can be changed. */
  preset?: string[];
  /** What was typed into its fields before, if the command refused that. */
  typed?: Record<string, string>;
}

/** Modals that show current values and take new ones. */
export interface Modals {
  /**
   * Opens the modal of a command, filled in with the current values. False if the requester may not
   * use the command or the values are not found in time: then the interaction is still unanswered. The
   * options of `preset` are not asked for.
   */
  open(interaction: AnsweredInteraction, sent: SentCommand, preset?: string[]): Promise<boolean>;
  /** Runs the commands of submitted modals, and opens further pages. */
  listen(client: Client): void;
}

/** Discord waits three seconds for a modal or for the command's answer. */
const findingMs = 1_500;

/** docs.discord.com/developers/components/reference#button, `label`. */
const maxButtonLength = 80;

/**
 * A Discord modal has at most five fields: a command with
 * more options gets several modals. Buttons for the others follow below the first, because a modal can't
 * contain buttons.
 */
export function createModals(discord: DiscordContext): Modals {
  const { runner, rest, running, files, sleep, log } = discord;
  const { forms } = runner;

  /** A modal, if it was opened by this person in this place. */
  async function find(
    id: string,
    { user, channelId }: BaseInteraction,
  ): Promise<KeptModal | undefined> {
    const modal = (await forms.find(id)) as KeptModal | undefined;
    if (modal?.user !== user.id || modal.channel !== channelId) return undefined;
    return { ...modal, values: reviveValues(modal.values, files.openFile) };
  }

  async function render(interaction: BaseInteraction, modal: KeptModal) {
    const { command, action: name, values: given } = modal;
    const action = findAction(runner.commands, command, name);
    const context = await contextOf(interaction, modal.place, discord);
    if (!action || !context) return undefined;
    const use = { command, action: name, context };
    if (!(await runner.mayUse(use))) return undefined;
    const typed = toTexts(given);
    const prefilled = await runner.prefill({ ...use, values: typed });
    // The thing to change is unknown or ambiguous. The command itself says so.
    const isKnown = Object.keys(prefilled).length > Object.keys(typed).length;
    if (action.initialValues && !isKnown) return undefined;
    const fields = pageOf(modal);
    if (fields.length === 0) return undefined;
    const suggested = await Promise.all(
      fields.map(async ([option, { type }]): Promise<[string, Suggestion[]]> => {
        const isMenu = type === 'reference' || type === 'group';
        return [option, isMenu ? await runner.complete({ ...use, option, typed: '' }) : []];
      }),
    );
    const fitting = keepFitting(action, { given: typed, filled: prefilled, maxFieldLength });
    const values = { ...fitting, ...modal.typed };
    const texts = textsFor(interaction.locale);
    const id = await forms.keep({ ...modal, shown: values });
    if (id === undefined) return undefined;
    return renderModal({
      id,
      title: titleOf(action, texts),
      fields,
      values,
      suggested: Object.fromEntries(suggested),
      files: filesOf(modal),
      texts,
    });
  }

  /** The fields of a modal, without files and values that were given already. */
  function fieldsOf({ command, action: name, values, preset }: KeptModal): [string, Option][] {
    const action = findAction(runner.commands, command, name);
    return Object.entries(action?.options ?? {}).filter(
      ([option, declared]) =>
        declared.type !== 'file' &&
        !preset?.includes(option) &&
        !(isSubject(declared) && Object.hasOwn(values, option)),
    );
  }

  function pageOf(modal: KeptModal): [string, Option][] {
    return fieldsOf(modal).slice(modal.from, modal.from + modal.pageSize);
  }

  async function show(interaction: AnsweredInteraction, modal: KeptModal): Promise<boolean> {
    const data = await inTime(render(interaction, modal), findingMs, sleep);
    if (!data) return false;
    await respond(rest, interaction, { type: InteractionResponseType.Modal, data });
    return true;
  }

  /** Offers the fields that don't fit into the first modal. Never rejects. */
  async function offerFurther(interaction: AnsweredInteraction, first: KeptModal): Promise<void> {
    const texts = textsFor(interaction.locale);
    const buttons: CommandButton[] = [];
    for (let page = nextPage(first); pageOf(page).length > 0; page = nextPage(page)) {
      const names = pageOf(page).map(([name]) => labelOf(name, texts));
      const label = shorten(`${texts.forms.more}: ${names.join(', ')}`, maxButtonLength);
      const id = await forms.keep(page);
      if (id !== undefined) buttons.push({ id: `form:${id}`, label });
    }
    if (buttons.length === 0) return;
    try {
      await createWhisper(rest, interaction).post({
        text: texts.forms.notAll,
        commandButtons: buttons,
      });
    } catch (error) {
      log.warn({ err: error }, 'the other fields of a modal were not offered');
    }
  }

  /**
   * Runs the command with the submitted values; its result gets a button for further fields. Discord
   * has closed the modal by now, so if the command refuses the values, a button opens it again.
   */
  async function submit(interaction: ModalSubmitInteraction, id: string): Promise<void> {
    const modal = await find(id, interaction);
    const texts = textsFor(interaction.locale).forms;
    if (!modal) return tell(interaction, texts.outdated, discord);
    const filled = readModal(interaction.fields.fields.values());
    const page = pageOf(modal);
    const emptied = page
      .filter(([option, declared]) => isList(declared) && modal.shown[option] && !filled[option])
      .map(([option]) => [option, '']);
    const values: RawValues = { ...modal.values, ...filled, ...Object.fromEntries(emptied) };
    const next = nextPage(modal);
    const more = pageOf(next).length > 0 ? forms.keep(next) : undefined;
    const typed = Object.fromEntries(page.map(([option]) => [option, filled[option] ?? '']));
    await runCommand(interaction, { ...modal, values }, discord, async (result, isPrivate) => {
      if (!result.isRefused) return withButton(result, await more, texts.more);
      const { markdown } = result;
      const said = isPrivate ? quoteFields(page, filled, textsFor(interaction.locale)) : '';
      const again = await forms.keep({ ...modal, typed });
      return withButton({ ...result, markdown: `${markdown}${said}` }, again, texts.again);
    });
  }

  async function turnPage(interaction: AnsweredInteraction, id: string): Promise<void> {
    const modal = await find(id, interaction);
    if (modal && (await show(interaction, modal))) return;
    await tell(interaction, textsFor(interaction.locale).forms.outdated, discord);
  }

  return {
    async open(interaction, sent, preset) {
      const taken = filesOf(sent).length > 0 ? 1 : 0;
      const { user, channelId: channel } = interaction;
      const opened = { user: user.id, channel };
      const pageSize = maxFields - taken;
      const first = { ...sent, ...opened, preset, from: 0, pageSize, shown: {} };
      if (!(await show(interaction, first))) return false;
      await offerFurther(interaction, first);
      return true;
    },
    listen(client) {
      client.on(Events.InteractionCreate, (interaction) => {
        if (interaction.isModalSubmit()) {
          const id = parseModalId(interaction.customId);
          if (id) running.start(submit(interaction, id), 'a modal');
        }
        if (interaction.isButton()) {
          const id = parseModalButtonId(interaction.customId);
          if (id) running.start(turnPage(interaction, id), 'a modal');
        }
      });
    },
  };
}

function nextPage(modal: KeptModal): KeptModal {
  return { ...modal, from: modal.from + modal.pageSize };
}

/** What was typed into the fields, below a result. */
function quoteFields(
  fields: readonly [string, Option][],
  filled: Record<string, string>,
  texts: Texts,
): string {
  const typed = fields.filter(([name]) => filled[name]);
  const quotes = typed.map(([name]) => `**${labelOf(name, texts)}**\n${quote(filled[name] ?? '')}`);
  return ['', texts.forms.typed, ...quotes].join('\n\n');
}

function filesOf({ values }: SentCommand): IncomingFile[] {
  return Object.values(values).flatMap((value) => (typeof value === 'string' ? [] : value));
}

/** The result with a button that opens a modal, if it was stored. A row holds five buttons. */
function withButton(result: Result, modal: string | undefined, label: string): Result {
  const { buttons = [] } = result;
  if (modal === undefined || buttons.length >= 5) return result;
  return { ...result, buttons: [...buttons, { id: `form:${modal}`, label }] };
}
