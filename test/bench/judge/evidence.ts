import type { InboxRow } from '../../../src/bridge/conversation/inbox/row.ts';
import type { Place, PlatformName, Said, Shown } from './people.ts';
import type { Asked } from './service.ts';

/**
 * What somebody does to a question after writing it. `mention`: the edit adds the mention of the bot.
 * `again` and `helpful` are pressed twice. A stop is a press, or Slack's own button.
 */
export type ChangeKind = 'edit' | 'mention' | 'removal' | 'again' | 'helpful' | 'stop';

/** What somebody did to a question, and when. */
export interface Change {
  kind: ChangeKind;
  said: Said;
  /** By `performance.now()`; absent before. */
  at?: number;
  /** The bridge has acknowledged a press. */
  isAcknowledged: boolean;
}

/** A question that a platform delivered. */
export interface Question {
  /** As its text contains it. */
  name: string;
  text: string;
  place: Place;
  /** What is done to it afterwards. */
  change?: Change;
}

/**
 * What is wrong. `lost`: no answer, or less of one than there could be. `twice`: a second message,
 * or asked upstream again without saying so. `dangling`: half a reply, or one with a Stop button.
 * `outOfOrder`: answered before an earlier question of its thread. `outdated`: asked in other words
 * than it had. `unheeded`: a deletion, edit or press did not have its effect.
 */
export interface Finding {
  kind: 'lost' | 'twice' | 'dangling' | 'outOfOrder' | 'outdated' | 'unheeded';
  question: string;
  reason: string;
}

/** What there is to judge. */
export interface Evidence {
  /** Those of one place, in the order in which they were delivered. */
  questions: readonly Question[];
  /** The bot's messages in that place since the first of them, oldest first. */
  shown: readonly Shown[];
  /** The queries that reached the service. */
  asked: readonly Asked[];
  /** Whether a query with this name was sent or about to be, even if it never reached the service. */
  wasSent(name: string): boolean;
  /** Whether nothing kept the bridge from showing the whole reply, once the service has it. */
  isReadable(asked: Asked): boolean;
  /** The rows of the bridge's inbox, in order of arrival; none where nothing is changed or pressed. */
  inbox: readonly InboxRow[];
  /** Whether a platform has surely told the bridge what happened at a time. */
  hasTold(platform: PlatformName, at: number): boolean;
  /** Whether a platform delivered a question long after it was asked, and others before it. */
  wasLate(name: string): boolean;
  /** Whether the store was away: people were told that the bridge keeps trying. */
  storeWasAway?: boolean;
}

export type Fault = Omit<Finding, 'question'>;
