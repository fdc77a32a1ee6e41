import { type ButtonInteraction, type Client, Events } from 'discord.js';
import type { RunningCommands } from '../commands/adapters/running-commands.ts';
import { showResults } from '../commands/adapters/show-results.ts';
import { parseCommandButtonId } from './buttons.ts';
import { acknowledgePress } from './responder.ts';
import {
  createChannelTarget,
  createDirectMessageTarget,
  createResultTarget,
} from './result-target.ts';
import { type RunTools, createContext, toOrigin } from './run-command.ts';

/** Handles presses of the buttons below command results. */
export function handleCommandButtons(
  client: Client,
  tools: RunTools & { running: RunningCommands },
): void {
  client.on(Events.InteractionCreate, (interaction) => {
    const id = interaction.isButton() && parseCommandButtonId(interaction.customId);
    if (!id || !interaction.isButton()) return;
    tools.running.start(press(interaction, id, tools), 'a button');
  });
}

async function press(interaction: ButtonInteraction, id: string, tools: RunTools): Promise<void> {
  const { runner, rest, writer, sleep } = tools;
  const { component } = interaction;
  const label = 'label' in component ? (component.label ?? undefined) : undefined;
  // First, as Discord does not wait, and what can't be answered is not done.
  const { beside, inPlace } = await acknowledgePress(rest, interaction);
  const context = createContext(toOrigin(interaction), tools);
  const { place, at, results } = await runner.press(id, context, label);
  const direct = createDirectMessageTarget(writer, interaction.user.id);
  const targets = {
    here: [inPlace, direct],
    channel: [
      createChannelTarget(writer, at?.thread ?? at?.channel ?? interaction.channelId),
      beside,
    ],
    private: [beside, direct],
  } as const;
  await showResults(results, createResultTarget(targets[place]), sleep);
}
