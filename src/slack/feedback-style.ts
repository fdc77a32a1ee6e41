import type { Log } from '../conversation/ports.ts';
import { type FeedbackStyle, hasNativeFeedback } from './buttons.ts';
import { slackErrorCode } from './errors.ts';

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
