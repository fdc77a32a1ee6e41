import { ApplicationFlags } from 'discord.js';
import { inviteUrl, missingPermissions } from '../../bridge/discord/permissions.ts';
import { mayReadAll } from '../../bridge/discord/shards.ts';
import type { Config } from '../../config/config.ts';
import type { DiscordConfig } from '../../config/platforms.ts';
import { askDiscord, type DiscordQuestions } from './ask-discord.ts';
import { type Check, fault, type Line, ok, runChecks, unchecked } from './check.ts';

const portal = 'https://discord.com/developers/applications';
const token = 'Discord token';

/** https://docs.discord.com/developers/gateway/getting-started-with-privileged-intent-review */
const reviewedFrom = 10_000;
/** A review takes time, so it is announced a little before. */
const warnedFrom = 8_000;

const publicBot = `“Public Bot” is on: anyone can add the bot to a server. To keep that to yourself, set “Install Link” to None under “Installation” at ${portal}, then switch it off under “Bot”.`;

/** Only this many servers are looked at one by one. */
const maxGuilds = 25;

/** Only this many channels are named. */
const maxNamed = 5;

/**
 * Checks a Discord bot: its token, application, servers and commands.
 * @param variable whose value alone is checked; everything by default
 */
export async function examineDiscord(
  discord: DiscordConfig,
  config: Config,
  variable?: string,
): Promise<Line[]> {
  using asked = askDiscord(discord, config);
  return await runChecks(discordChecks, asked, variable);
}

const discordChecks: readonly Check<DiscordQuestions>[] = [
  {
    name: token,
    variable: 'DISCORD_TOKEN',
    fix: `Choose your application at ${portal}, reset the token under “Bot”, and copy it to DISCORD_TOKEN.`,
    async run({ application }) {
      const { name, bot } = await application();
      return ok(`accepted, as ${bot?.username ?? name}.`);
    },
  },
  {
    name: 'Discord intents',
    needs: token,
    async run({ application, guilds }) {
      const app = await application();
      if (!mayReadAll(app)) {
        return unchecked(
          'without Message Content: the bot reads direct messages, mentions and replies that ping it, but can’t follow threads without a mention, or read what people said there before.',
          `To change that, switch on “Message Content Intent” under “Bot” of your application at ${portal}, then restart Causeway.`,
        );
      }
      // Whoever is in several servers counts for each, so Discord counts fewer.
      const people = (await guilds()).reduce(
        (sum, each) => sum + (each.approximate_member_count ?? 0),
        0,
      );
      if (app.flags & ApplicationFlags.GatewayMessageContent || people < warnedFrom) {
        return ok('the bot can read messages.');
      }
      return unchecked(
        `the bot can read messages, but its servers have about ${people.toLocaleString('en')} members. Above ${reviewedFrom.toLocaleString('en')} people, Discord reviews Message Content, and again each year.`,
        `Apply for it under “Bot” of your application at ${portal}. Without it, the bot still answers mentions, direct messages and commands.`,
      );
    },
  },
  {
    name: 'Discord interactions',
    needs: token,
    fix: `Clear “Interactions Endpoint URL” under “General Information” of your application at ${portal}.`,
    async run({ application }) {
      const { interactions_endpoint_url: elsewhere } = await application();
      return elsewhere
        ? fault('Discord sends commands and buttons to an Interactions Endpoint URL.')
        : ok('commands and buttons come to the bot.');
    },
  },
  {
    name: 'Discord invite',
    needs: token,
    fix: `Switch off “Requires OAuth2 Code Grant” under “Bot” of your application at ${portal}: with it, no server can add the bot.`,
    async run({ application }) {
      const { id, bot_public: isPublic, bot_require_code_grant: needsGrant } = await application();
      if (needsGrant) return fault('“Requires OAuth2 Code Grant” is on.');
      const open = isPublic ? ` ${publicBot}` : '';
      return ok(`${inviteUrl(id)}${open}`);
    },
  },
  {
    name: 'Discord servers',
    needs: token,
    async run({ guilds, application }) {
      const found = await guilds();
      const invite = `Open ${inviteUrl((await application()).id)}`;
      if (found.length === 0) return fault('the bot is in no server.', `${invite} and choose one.`);
      const lacking = found
        .map(({ name, permissions }) => ({ name, missing: missingPermissions(permissions) }))
        .filter(({ missing }) => missing.length > 0);
      const rest = found.length - lacking.length;
      const faults = lacking.map(({ name, missing }) =>
        fault(
          `${name} does not grant the bot ${missing.join(', ')}.`,
          `${invite} and choose ${name} again, or change the bot’s role there.`,
        ),
      );
      return rest > 0 ? [...faults, ok(granted(rest))] : faults;
    },
  },
  {
    name: 'Discord channels',
    needs: 'Discord servers',
    async run({ guilds, channels }) {
      const findings = [];
      for (const guild of (await guilds()).slice(0, maxGuilds)) {
        findings.push(toFinding(guild.name, await channels(guild)));
      }
      return findings;
    },
  },
  {
    name: 'Discord commands',
    needs: token,
    fix: 'Run npm run register, or restart Causeway, which registers them. Then reload Discord (Ctrl+R).',
    async run({ differences, guilds, ownCommands }) {
      const { missing, changed, surplus } = await differences();
      if (missing.length > 0) return fault(`${missing.join(', ')} not registered.`);
      if (changed.length > 0) return fault(`${changed.join(', ')} registered in an outdated form.`);
      if (surplus.length > 0) return fault(`${surplus.join(', ')} registered, but not handled.`);
      const doubled = [];
      for (const { id, name } of (await guilds()).slice(0, maxGuilds)) {
        const own = await ownCommands(id);
        if (own.length > 0) doubled.push(twice(id, name, own));
      }
      return doubled.length > 0 ? doubled : ok('registered, as declared.');
    },
  },
];

/** A channel may be closed to the bot on purpose, but hardly a whole server. */
function toFinding(server: string, channels: readonly { name: string; missing: string[] }[]) {
  const closed = channels.filter(({ missing }) => missing.length > 0);
  if (closed.length === channels.length) {
    return fault(
      `in ${server}, the bot can answer in no channel.`,
      'Let its role view a text channel and write in it, under “Permissions” in the channel’s settings.',
    );
  }
  const open = `in ${server}, the bot can answer in ${channels.length - closed.length} of ${channels.length} channels that it sees.`;
  const named = closed
    .slice(0, maxNamed)
    .map(({ name, missing }) => `#${name} does not grant ${missing.join(', ')}.`);
  return ok([open, ...named].join(' '));
}

function granted(servers: number): string {
  return servers === 1
    ? 'one server grants all permissions.'
    : `${servers} servers grant all permissions.`;
}

function twice(id: string, name: string, own: readonly string[]) {
  return fault(
    `${name} also has its own ${own.join(', ')}, which people see twice.`,
    `Run npm run register -- --guild ${id} --remove.`,
  );
}
