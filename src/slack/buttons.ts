import type { types } from '@slack/bolt';
import type { CommandButton } from '../commands/invocation.ts';
import type { Button, ButtonAction, Log } from '../conversation/ports.ts';
import { shorten } from '../primitives/shorten.ts';
import { slackErrorCode } from './errors.ts';

/** The action ids of our buttons begin so. */
export const ourActions = /^causeway_reply_/;

/** `native`: as Slack's own pair of thumbs, in small print. `plain`: as buttons like any other. */
export type FeedbackStyle = 'native' | 'plain';

/**
 * Buttons as blocks: those that do something in a row; what a reader thinks of a reply as Slack's
 * own element for it, where both choices are there and Slack takes it.
 * docs.slack.dev/reference/block-kit/block-elements/feedback-buttons-element.
 */
export function renderButtons(
  buttons: readonly Button[],
  style: FeedbackStyle,
): (types.ActionsBlock | types.ContextActionsBlock)[] {
  const helpful = buttons.find(({ action }) => action === 'helpful');
  const unhelpful = buttons.find(({ action }) => action === 'unhelpful');
  const native = style === 'native' && helpful !== undefined && unhelpful !== undefined;
  const plain = native ? buttons.filter(({ action }) => !isFeedback(action)) : buttons;
  const feedback = native ? [renderFeedback(helpful, unhelpful)] : [];
  if (plain.length === 0) return feedback;
  return [{ type: 'actions', elements: plain.map(renderButton) }, ...feedback];
}

/** Whether Slack's own element for feedback is among blocks. */
function hasNativeFeedback(blocks: readonly { type: string }[]): boolean {
  return blocks.some(({ type }) => type === 'context_actions');
}

function isFeedback(action: ButtonAction): boolean {
  return action === 'helpful' || action === 'unhelpful';
}

function renderButton(button: Button): types.Button {
  const { action } = button;
  return {
    type: 'button',
    action_id: `causeway_reply_${action}`,
    text: renderLabel(button),
    value: renderValue(button),
    ...(action === 'stop' && { style: 'danger' }),
  };
}

function renderFeedback(helpful: Button, unhelpful: Button): types.ContextActionsBlock {
  const choice = (button: Button) => ({ text: renderLabel(button), value: renderValue(button) });
  return {
    type: 'context_actions',
    elements: [
      {
        type: 'feedback_buttons',
        action_id: 'causeway_reply_feedback',
        positive_button: choice(helpful),
        negative_button: choice(unhelpful),
      },
    ],
  };
}

/** Slack's own limit for the text of a button. */
const maxLabelLength = 75;

/** The action ids of the buttons of commands' results begin so. */
export const commandActions = /^causeway_command_/;

/** The buttons of a command's result, in a row; no row where there are none. */
export function renderCommandButtons(buttons: readonly CommandButton[]): types.ActionsBlock[] {
  if (buttons.length === 0) return [];
  const elements = buttons.map((button, index): types.Button => ({
    type: 'button',
    action_id: `causeway_command_${index}`,
    text: renderLabel(button),
    value: button.id,
    ...(button.danger && { style: 'danger' }),
  }));
  return [{ type: 'actions', elements }];
}

function renderLabel({ label }: { label: string }): types.PlainTextElement {
  return { type: 'plain_text', text: shorten(label, maxLabelLength) };
}

/** Slack's pair of thumbs shares an action id, so the value says which of them it was. */
function renderValue({ action, turn }: Button): string {
  return `${action}:${turn}`;
}

const buttonValue = /^(stop|retry|passages|helpful|unhelpful|person|resume):(.{1,40})$/;

/** What a button of ours stands for, from its value; undefined where it is none of ours. */
export function parseButtonValue(
  value: unknown,
): { action: ButtonAction; turn: string } | undefined {
  const [, action, turn] = buttonValue.exec(typeof value === 'string' ? value : '') ?? [];
  return action && turn ? { action: action as ButtonAction, turn } : undefined;
}

/** How feedback buttons are shown, as far as Slack takes them. */
export interface FeedbackStyles {
  /**
   * Writes something that `render` makes, once more with plain buttons where Slack refuses its own
   * element for feedback as invalid. Once that has helped, plain buttons are written for good.
   */
  write<Rendered extends { blocks: readonly { type: string }[] }, Result>(
    render: (style: FeedbackStyle) => Rendered,
    send: (rendered: Rendered) => Promise<Result>,
  ): Promise<Result>;
}

export function createFeedbackStyles(log: Log): FeedbackStyles {
  let style: FeedbackStyle = 'native';
  return {
    async write(render, send) {
      const rendered = render(style);
      try {
        return await send(rendered);
      } catch (error) {
        if (!hasNativeFeedback(rendered.blocks) || !refusesBlocks(error)) throw error;
        const result = await send(render('plain'));
        style = 'plain';
        log.info(
          { err: error },
          'Slack refused feedback buttons from this app: plain buttons are used',
        );
        return result;
      }
    },
  };
}

function refusesBlocks(error: unknown): boolean {
  return ['invalid_blocks', 'invalid_blocks_format'].includes(slackErrorCode(error) ?? '');
}
