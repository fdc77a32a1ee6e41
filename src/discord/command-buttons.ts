import { type ButtonInteraction, type Client, Events } from 'discord.js';
import type { RunningCommands } from '../commands/adapters/running-commands.ts';
import { showResults } from '../commands/adapters/show-results.ts';
import { parseCommandButtonId } from './buttons.ts';
import { acknowledgePress, acknowledgeReplacing } from './responder.ts';
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
  const { place, results } = runner.press(id, createContext(toOrigin(interaction), tools), label);
  const direct = createDirectMessageTarget(writer, interaction.user.id);
  if (place === 'here') {
    const target = await acknowledgeReplacing(rest, interaction);
    await showResults(results, createResultTarget([target, direct]), sleep);
    return;
  }
  const target = await acknowledgePress(rest, interaction);
  const channel = createChannelTarget(writer, interaction.channelId);
  await showResults(results, createResultTarget([channel, target]), sleep);
}
