import { type ButtonInteraction, type Client, Events, type REST } from 'discord.js';
import type { Log, Receiver } from '../conversation/ports.ts';
import { parseButtonId } from './buttons.ts';
import { toPlatformError } from './errors.ts';
import { toRequester } from './people.ts';
import { toPlace } from './place.ts';
import { acknowledgePress } from './responder.ts';
import {
  createDirectMessageTarget,
  createResultTarget,
  type MessageTarget,
} from './result-target.ts';
import type { Writer } from './writer.ts';

/** What button handlers need from the rest of the adapter. */
export interface ButtonHandlerTools {
  rest: REST;
  writer: Writer;
  receiver: () => Receiver | undefined;
  log: Log;
}

/** Reports button presses to the core, and shows its answer only to the person who pressed. */
export function handleButtons(client: Client, tools: ButtonHandlerTools): void {
  client.on(Events.InteractionCreate, (interaction) => {
    if (!interaction.isButton()) return;
    press(interaction, tools).catch((error: unknown) =>
      tools.log.warn({ err: toPlatformError(error) }, 'what a button did was not shown in Discord'),
    );
  });
}

async function press(interaction: ButtonInteraction, tools: ButtonHandlerTools): Promise<void> {
  const button = parseButtonId(interaction.customId);
  if (!button) return;
  const [targets, text] = await Promise.all([
    findTargets(interaction, tools),
    tools.receiver()?.pressed({
      ...button,
      by: toRequester(interaction),
      place: toPlace(interaction),
    }),
  ]);
  if (text) await createResultTarget(targets).show({ markdown: text });
}

/** The answer to the press while Discord accepts one, then a direct message. */
async function findTargets(
  interaction: ButtonInteraction,
  { rest, writer, log }: ButtonHandlerTools,
): Promise<[MessageTarget, ...MessageTarget[]]> {
  const direct = createDirectMessageTarget(writer, interaction.user.id);
  try {
    const { beside } = await acknowledgePress(rest, interaction);
    return [beside, direct];
  } catch (error) {
    log.warn({ err: error }, 'a button was pressed too long ago to answer');
    return [direct];
  }
}
