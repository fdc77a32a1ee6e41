import { describe } from 'vitest';
import { describeButtons } from './adapter/buttons.ts';
import { describeCommandButtons } from './adapter/command-buttons.ts';
import { describeCommands } from './adapter/commands.ts';
import { describeKeptMessages } from './adapter/kept-messages.ts';
import { describeMentionCommands } from './adapter/mention-commands.ts';
import { describeMessages } from './adapter/messages.ts';
import { describeNotices } from './adapter/notices.ts';
import { describeRooms } from './adapter/rooms.ts';
import type { OpenSeat } from './adapter/seat.ts';

/** What the core may expect of every adapter, and people of every platform. */
export function describeAdapter(name: string, open: OpenSeat): void {
  describe(name, () => {
    describeIncoming(open);
    describeCommandButtons(open);
    describeKeptMessages(open);
    describeMentionCommands(open);
    describeNotices(open);
    describeRooms(open);
  });
}

/** The part that depends on how events, presses and commands reach the adapter. */
export function describeIncoming(open: OpenSeat): void {
  describeMessages(open);
  describeButtons(open);
  describeCommands(open);
}
