import { randomBytes } from 'node:crypto';
import { createLru } from '../../shared/primitives/cache.ts';
import {
  type BaseInteraction,
  type Client,
  Events,
  InteractionResponseType,
  type ModalSubmitInteraction,
  Routes,
} from 'discord.js';
import { isSubject, keepFitting, toTexts, labelOf } from '../commands/adapters/modal-values.ts';
import {
  typedCommand,
  type CommandButton,
  findAction,
  type Result,
  type Suggestion,
} from '../commands/invocation.ts';
import { inTime } from '../../shared/primitives/time.ts';
import type { IncomingFile } from '../commands/files.ts';
import type { Option, RawValues } from '../commands/option.ts';
import { isList } from '../commands/runner/parse-values.ts';
import type { RunningCommands } from '../commands/adapters/show-results.ts';
import { textsFor } from '../texts/texts.ts';
import { parseFormButtonId } from './buttons.ts';
import { toPlatformError } from './errors.ts';
import { maxFieldLength, maxFields, parseFormId, readForm, renderForm } from './modal.ts';
import { shorten } from '../../shared/primitives/text.ts';
import { acknowledge, afterForm } from './result-target.ts';
import {
  type AnsweredInteraction,
  type RunTools,
  createContext,
  runCommand,
  type SentCommand,
  toOrigin,
} from './run-command.ts';

/** A command, who gave it where, and the first option that its form asks for. */
interface KeptForm extends SentCommand {
  user: string;
  channel: string | null;
  from: number;
  pageSize: number;
  /** The initial values of its fields. */
  shown: Record<string, string>;
}

/** Forms that show current values and take new ones. */
export interface Forms {
  /**
   * Opens the form of a command, filled in with the current values. False if the requester may not
   * use the command or the values are not found in time: then the interaction is still unanswered.
   */
  open(interaction: AnsweredInteraction, sent: SentCommand): Promise<boolean>;
  /** Runs the commands of submitted forms, and opens further pages. */
  listen(client: Client): void;
}

/** Discord waits three seconds for a form or for the command's answer. */
const findingMs = 1_500;

const maxKept = 1_000;

/** docs.discord.com/developers/components/reference#button, `label`. */
const maxButtonLength = 80;

/**
 * Keeps the newest thousand forms in memory. A Discord form has at most five fields: a command with
 * more options gets several forms. Buttons for the further ones follow the first: a form has no room
 * for a button.
 */
export function createForms(tools: RunTools & { running: RunningCommands }): Forms {
  const { runner, rest, running, sleep, log } = tools;
  const kept = createLru<KeptForm>(maxKept);

  function keep(form: KeptForm): string {
    const id = randomBytes(16).toString('base64url');
    kept.set(id, form);
    return id;
  }

  /** A form, if it was opened by this person in this place. */
  function find(id: string, { user, channelId }: BaseInteraction): KeptForm | undefined {
    const form = kept.get(id);
    return form?.user === user.id && form.channel === channelId ? form : undefined;
  }

  async function render(interaction: BaseInteraction, form: KeptForm) {
    const { command, action: name, values: given } = form;
    const action = findAction(runner.commands, command, name);
    const context = createContext(toOrigin(interaction), tools);
    const use = { command, ...(name !== undefined && { action: name }), context };
    if (!action || !(await runner.mayUse(use))) return undefined;
    const typed = toTexts(given);
    const prefilled = await runner.prefill({ ...use, values: typed });
    // The thing to change was not found or is ambiguous: the command itself says so.
    const isKnown = Object.keys(prefilled).length > Object.keys(typed).length;
    if (action.initialValues && !isKnown) return undefined;
    const fields = pageOf(form);
    if (fields.length === 0) return undefined;
    const suggested = await Promise.all(
      fields.map(async ([option, { type }]): Promise<[string, Suggestion[]]> => {
        const isMenu = type === 'reference' || type === 'group';
        return [option, isMenu ? await runner.complete({ ...use, option, typed: '' }) : []];
      }),
    );
    const values = keepFitting(action, {
      given: typed,
      filled: prefilled,
      maxFieldLength,
    });
    return renderForm({
      id: keep({ ...form, shown: values }),
      title: typedCommand(runner.names, 'discord', [command, name].filter(Boolean).join(' ')),
      fields,
      values,
      suggested: Object.fromEntries(suggested),
      files: filesOf(form),
      texts: textsFor(interaction.locale),
    });
  }

  /** The fields of a form, without files and values that were given already. */
  function fieldsOf({ command, action: name, values }: SentCommand): [string, Option][] {
    const action = findAction(runner.commands, command, name);
    return Object.entries(action?.options ?? {}).filter(
      ([option, declared]) =>
        declared.type !== 'file' && !(isSubject(declared) && Object.hasOwn(values, option)),
    );
  }

  function pageOf(form: KeptForm): [string, Option][] {
    return fieldsOf(form).slice(form.from, form.from + form.pageSize);
  }

  async function show(interaction: AnsweredInteraction, form: KeptForm): Promise<boolean> {
    const data = await inTime(render(interaction, form), findingMs, sleep);
    if (!data) return false;
    const body = { type: InteractionResponseType.Modal, data };
    const { id, token } = interaction;
    try {
      await rest.post(Routes.interactionCallback(id, token), { body, auth: false });
      return true;
    } catch (error) {
      throw toPlatformError(error);
    }
  }

  /** Offers the fields for which the first form has no room. Never rejects. */
  async function offerFurther(interaction: AnsweredInteraction, first: KeptForm): Promise<void> {
    const texts = textsFor(interaction.locale);
    const buttons: CommandButton[] = [];
    for (let page = nextPage(first); pageOf(page).length > 0; page = nextPage(page)) {
      const names = pageOf(page).map(([name]) => labelOf(name, texts));
      const label = shorten(`${texts.forms.more}: ${names.join(', ')}`, maxButtonLength);
      buttons.push({ id: `form:${keep(page)}`, label });
    }
    if (buttons.length === 0) return;
    try {
      await afterForm(rest, interaction).post({
        text: texts.forms.notAll,
        commandButtons: buttons,
      });
    } catch (error) {
      log.warn({ err: error }, 'the further fields of a form were not offered');
    }
  }

  async function tell(interaction: AnsweredInteraction, markdown: string): Promise<void> {
    const target = await acknowledge(rest, interaction, true);
    await target.post({ text: markdown });
  }

  /** Runs the command with the submitted values; its result gets a button for further fields. */
  async function submit(interaction: ModalSubmitInteraction, id: string): Promise<void> {
    const form = find(id, interaction);
    const texts = textsFor(interaction.locale).forms;
    if (!form) return tell(interaction, texts.outdated);
    const filled = readForm(interaction.fields.fields.values());
    const emptied = pageOf(form)
      .filter(([option, declared]) => isList(declared) && form.shown[option] && !filled[option])
      .map(([option]) => [option, '']);
    const values: RawValues = { ...form.values, ...filled, ...Object.fromEntries(emptied) };
    const next = nextPage(form);
    const isLast = pageOf(next).length === 0;
    const button = { id: `form:${isLast ? '' : keep(next)}`, label: texts.more };
    await runCommand(interaction, { ...form, values }, tools, (result) =>
      isLast ? result : withButton(result, button),
    );
  }

  async function turnPage(interaction: AnsweredInteraction, id: string): Promise<void> {
    const form = find(id, interaction);
    if (form && (await show(interaction, form))) return;
    await tell(interaction, textsFor(interaction.locale).forms.outdated);
  }

  return {
    async open(interaction, sent) {
      const taken = filesOf(sent).length > 0 ? 1 : 0;
      const { user, channelId: channel } = interaction;
      const opened = { user: user.id, channel };
      const first = { ...sent, ...opened, from: 0, pageSize: maxFields - taken, shown: {} };
      if (!(await show(interaction, first))) return false;
      await offerFurther(interaction, first);
      return true;
    },
    listen(client) {
      client.on(Events.InteractionCreate, (interaction) => {
        if (interaction.isModalSubmit()) {
          const id = parseFormId(interaction.customId);
          if (id) running.start(submit(interaction, id), 'a form');
        }
        if (interaction.isButton()) {
          const id = parseFormButtonId(interaction.customId);
          if (id) running.start(turnPage(interaction, id), 'a form');
        }
      });
    },
  };
}

function nextPage(form: KeptForm): KeptForm {
  return { ...form, from: form.from + form.pageSize };
}

function filesOf({ values }: SentCommand): IncomingFile[] {
  return Object.values(values).flatMap((value) => (typeof value === 'string' ? [] : value));
}

/** A row holds five buttons. */
function withButton(result: Result, button: { id: string; label: string }): Result {
  const { buttons = [] } = result;
  return buttons.length < 5 ? { ...result, buttons: [...buttons, button] } : result;
}
