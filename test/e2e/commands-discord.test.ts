import { testCommands } from '../contracts/commands.ts';
import { discordCommandSeats } from './discord-command-seat.ts';

testCommands('Discord', ({ discord }) => discordCommandSeats(discord));
