import type { types } from '@slack/bolt';
import type { CommandButton } from '../commands/invocation.ts';
import { teachPrefix } from '../commands/runner/result-buttons.ts';
import type { Button, ButtonAction } from '../conversation/thread.ts';
import type { Log } from '../../shared/primitives/log.ts';
import { shorten, withoutTurns } from '../../shared/primitives/text.ts';
import { slackErrorCode } from './errors.ts';

/** Matches the action ids of our buttons that the core handles. */
export const ourActions = /^causeway_reply_(?!teach$)/;

/** Matches those of the buttons that open a modal in which managers teach an answer. */
export const teachActions = /^causeway_(?:reply_teach|teach_\d+)$/;

/** `native`: Slack's own pair of thumbs, in small print. `plain`: ordinary buttons. */
export type FeedbackStyle = 'native' | 'plain';

/**
 * Renders buttons as blocks: actions in a row, feedback as Slack's own feedback element if both
 * choices are there and the style is `native`.
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

/** Whether the blocks contain Slack's own feedback element. */
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

/** Slack's limit for the text of a button. */
const maxLabelLength = 75;

/** Matches the action ids of buttons below command results. */
export const commandActions = /^causeway_command_/;

/** The action id of the button that opens a modal again; Slack lets a row have one of each. */
export const formAction = 'causeway_form';

/** The buttons of a command's result, in a row; no blocks if there are none. */
export function renderCommandButtons(buttons: readonly CommandButton[]): types.ActionsBlock[] {
  if (buttons.length === 0) return [];
  const elements = buttons.map((button, index): types.Button => ({
    type: 'button',
    action_id: toActionId(button.id, index),
    text: renderLabel(button),
    value: button.id,
    ...(button.danger && { style: 'danger' }),
  }));
  return [{ type: 'actions', elements }];
}

function toActionId(id: string, index: number): string {
  if (id.startsWith('form:')) return formAction;
  return id.startsWith(teachPrefix) ? `causeway_teach_${index}` : `causeway_command_${index}`;
}

/** The open question whose answer a button teaches, by its value. */
export function parseTeachValue(value: string): string {
  const [gap = ''] = value.replace(/^teach[.:]/, '').split('.');
  return gap;
}

function renderLabel({ label }: { label: string }): types.PlainTextElement {
  return { type: 'plain_text', text: shorten(withoutTurns(label), maxLabelLength) };
}

/** Both of Slack's thumbs share one action id, so the value says which one was pressed. */
function renderValue({ action, turn }: Button): string {
  return `${action}:${turn}`;
}

const buttonValue = /^(stop|retry|passages|help|helpful|unhelpful|person|resume):(.{1,40})$/;

/** Parses the value of one of our buttons; undefined for any other button. */
export function parseButtonValue(
  value: unknown,
): { action: ButtonAction; turn: string } | undefined {
  const [, action, turn] = buttonValue.exec(typeof value === 'string' ? value : '') ?? [];
  return action && turn ? { action: action as ButtonAction, turn } : undefined;
}

/** Picks the style of feedback buttons that Slack accepts. */
export interface FeedbackStyles {
  /**
   * Writes what `render` returns. If Slack refuses its own feedback element as invalid, writes it
   * again with plain buttons; if that works, plain buttons are used from then on.
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
