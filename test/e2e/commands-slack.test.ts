import { testCommands } from '../contracts/commands.ts';
import { slackCommandSeats } from './slack-command-seat.ts';

testCommands('Slack', ({ slack }) => slackCommandSeats(slack));
