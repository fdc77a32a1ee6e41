import { type ButtonInteraction, type Client, Events } from 'discord.js';
import type { RunningCommands } from '../commands/running-commands.ts';
import { showTexts } from '../commands/show-texts.ts';
import { parseCommandButtonId } from './buttons.ts';
import { acknowledgePress, acknowledgeReplacing } from './responder.ts';
import { createChannelOutlet, createDirectOutlet, createResultPlace } from './result-place.ts';
import { type CommandTools, createContext, toOrigin } from './run-command.ts';

/** Does what the buttons of commands' results say, when they are pressed. */
export function hearCommandPresses(
  client: Client,
  tools: CommandTools & { running: RunningCommands },
): void {
  client.on(Events.InteractionCreate, (interaction) => {
    const id = interaction.isButton() && parseCommandButtonId(interaction.customId);
    if (!id || !interaction.isButton()) return;
    tools.running.start(press(interaction, id, tools), 'a button');
  });
}

async function press(
  interaction: ButtonInteraction,
  id: string,
  tools: CommandTools,
): Promise<void> {
  const { table, rest, writer, sleep } = tools;
  const { place, results } = table.press(id, createContext(toOrigin(interaction), tools));
  const direct = createDirectOutlet(writer, interaction.user.id);
  if (place === 'here') {
    const outlet = await acknowledgeReplacing(rest, interaction);
    await showTexts(results, createResultPlace([outlet, direct]), sleep);
    return;
  }
  const outlet = await acknowledgePress(rest, interaction);
  const channel = createChannelOutlet(writer, interaction.channelId);
  await showTexts(results, createResultPlace([channel, outlet]), sleep);
}
