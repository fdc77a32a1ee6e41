import { describeAdapter } from '../../contracts/adapter.ts';
import { openDiscordSeat } from './discord-seat.ts';

describeAdapter('Discord', openDiscordSeat);
