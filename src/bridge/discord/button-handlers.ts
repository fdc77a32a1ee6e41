import {
  type APIModalInteractionResponseCallbackData,
  type ButtonInteraction,
  type Client,
  ComponentType,
  Events,
  type ModalSubmitInteraction,
  TextInputStyle,
} from 'discord.js';
import { createSharedTarget, showResults } from '../commands/adapters/show-results.ts';
import type { CommandContext } from '../commands/command.ts';
import type { ButtonPress } from '../conversation/platform.ts';
import { parseButtonId, parseCommandButtonId } from './buttons.ts';
import type { DiscordContext } from './context.ts';
import { toPlatformError } from './errors.ts';
import { toRequester } from './people.ts';
import { type Texts, textsFor } from '../texts/texts.ts';
import { contextIn, createCommandContext, toOrigin, toPlace } from './run-command.ts';
import {
  type MessageTarget,
  acknowledgePress,
  createChannelTarget,
  createDirectMessageTarget,
  createResultTarget,
} from './result-target.ts';
import { maxRemarkLength } from '../conversation/buttons.ts';
import { readModal } from './modal.ts';

/** Reports button presses to the core, and shows its answer only to the person who pressed. */
export function handleButtons(client: Client, discord: DiscordContext): void {
  client.on(Events.InteractionCreate, (interaction) => {
    if (!interaction.isButton() && !interaction.isModalSubmit()) return;
    press(interaction, discord).catch((error: unknown) =>
      discord.log.warn(
        { err: toPlatformError(error) },
        'the result of a button press was not shown in Discord',
      ),
    );
  });
}

type Pressing = ButtonInteraction | ModalSubmitInteraction;

/** What was pressed, or the remark that was sent after a press; undefined if neither is ours. */
function readPress(
  interaction: Pressing,
): Pick<ButtonPress, 'action' | 'turn' | 'remark'> | undefined {
  if (interaction.isButton()) return parseButtonId(interaction.customId);
  const sent = readRemark(interaction);
  return sent && { action: 'unhelpful', ...sent };
}

async function press(interaction: Pressing, discord: DiscordContext): Promise<void> {
  const pressed = readPress(interaction);
  if (!pressed) return;
  const { id } = interaction;
  const by = toRequester(interaction);
  const isEmpty = pressed.remark === '';
  const stored = isEmpty
    ? undefined
    : await discord.receiver?.pressed({ ...pressed, id, by, place: toPlace(interaction) });
  const asks = pressed.action === 'unhelpful' && pressed.remark === undefined;
  const modal = asks ? renderRemarkModal(pressed.turn, textsFor(interaction.locale)) : undefined;
  const [targets, text] = await Promise.all([
    findTargets(interaction, modal, discord),
    stored?.answer,
  ]);
  if (text) await createResultTarget(targets).show({ markdown: text });
}

/** The answer to the press while Discord accepts one, then a direct message. */
async function findTargets(
  interaction: Pressing,
  modal: APIModalInteractionResponseCallbackData | undefined,
  { rest, writer, log }: DiscordContext,
): Promise<[MessageTarget, ...MessageTarget[]]> {
  const { notThere } = textsFor(interaction.locale).places;
  const direct = createDirectMessageTarget(writer, interaction.user.id, notThere);
  try {
    const { beside } = await acknowledgePress(rest, interaction, modal);
    return [beside, direct];
  } catch (error) {
    log.warn({ err: error }, 'a button was pressed too long ago to answer');
    return [direct];
  }
}

/** Handles presses of the buttons below command results. */
export function handleCommandButtons(client: Client, discord: DiscordContext): void {
  client.on(Events.InteractionCreate, (interaction) => {
    const id = interaction.isButton() && parseCommandButtonId(interaction.customId);
    if (!id || !interaction.isButton()) return;
    discord.running.start(pressCommandButton(interaction, id, discord), 'a button');
  });
}

async function pressCommandButton(
  interaction: ButtonInteraction,
  id: string,
  discord: DiscordContext,
): Promise<void> {
  const context = createCommandContext(toOrigin(interaction), discord);
  const accepted = await discord.runner.acceptPress(id, context);
  try {
    await performPress(interaction, { id, context: { ...context, accepted } }, discord);
  } finally {
    await accepted?.end();
  }
}

async function performPress(
  interaction: ButtonInteraction,
  { id, context }: { id: string; context: CommandContext },
  discord: DiscordContext,
): Promise<void> {
  const { runner, rest, writer, files, sleep } = discord;
  const { component } = interaction;
  const label = 'label' in component ? (component.label ?? undefined) : undefined;
  // Acknowledged first: Discord does not wait, and what can't be answered is not done.
  const { beside, inPlace } = await acknowledgePress(rest, interaction);
  const { place, at, results } = await runner.press({
    id,
    context,
    label,
    contextIn: (place) => contextIn(place, context, discord),
    openFile: files.openFile,
  });
  const { notThere } = textsFor(interaction.locale).places;
  const direct = createDirectMessageTarget(writer, interaction.user.id, notThere);
  const channel = createChannelTarget(writer, at?.thread ?? at?.channel ?? interaction.channelId);
  const here = createResultTarget([inPlace, direct]);
  const shared = createResultTarget([channel, beside]);
  const targets = {
    here,
    channel: shared,
    instead: createSharedTarget({ shared, own: here }, 'own'),
    private: createResultTarget([beside, direct]),
  };
  await showResults(results, targets[place], sleep);
}

const fieldId = 'remark';

const modalId = /^causeway:remark:(.{1,64})$/;

/** The modal that asks why an answer was not helpful: one line, which may stay empty. */
function renderRemarkModal(
  turn: string,
  { thread: { remark } }: Texts,
): APIModalInteractionResponseCallbackData {
  return {
    custom_id: `causeway:remark:${turn}`,
    title: remark.title,
    components: [
      {
        type: ComponentType.Label,
        label: remark.label,
        description: remark.hint,
        component: {
          type: ComponentType.TextInput,
          custom_id: fieldId,
          style: TextInputStyle.Short,
          max_length: maxRemarkLength,
          required: false,
        },
      },
    ],
  };
}

/** The turn and the remark of a submitted modal; undefined if it is another one. */
function readRemark({
  customId,
  fields,
}: ModalSubmitInteraction): { turn: string; remark: string } | undefined {
  const turn = modalId.exec(customId)?.[1];
  const { [fieldId]: remark = '' } = readModal(fields.fields.values());
  return turn === undefined ? undefined : { turn, remark: remark.trim() };
}
