import { type ButtonInteraction, type Client, Events } from 'discord.js';
import { showTexts } from '../commands/show-texts.ts';
import { parseCommandButtonId } from './buttons.ts';
import { toPlatformError } from './errors.ts';
import { acknowledgePress, acknowledgeReplacing } from './responder.ts';
import { createChannelOutlet, createDirectOutlet, createResultPlace } from './result-place.ts';
import { type CommandTools, createContext } from './run-command.ts';

/** Does what the buttons of commands' results say, when they are pressed. */
export function hearCommandPresses(client: Client, tools: CommandTools): void {
  client.on(Events.InteractionCreate, (interaction) => {
    const id = interaction.isButton() && parseCommandButtonId(interaction.customId);
    if (!id || !interaction.isButton()) return;
    press(interaction, id, tools).catch((error: unknown) =>
      tools.log.warn({ err: toPlatformError(error) }, 'what a button did was not shown in Discord'),
    );
  });
}

async function press(
  interaction: ButtonInteraction,
  id: string,
  tools: CommandTools,
): Promise<void> {
  const { table, rest, writer, sleep } = tools;
  const { place, results } = table.press(id, createContext(interaction, tools));
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
