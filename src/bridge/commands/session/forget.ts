import { explainError } from '../../conversation/errors.ts';
import type { Forgotten } from '../../conversation/forgetting.ts';
import { type ActionContext, defineAction } from '../command.ts';
import { askToConfirm } from '../outcomes.ts';

/**
 * `/session forget`: deletes all that the requester asked, and the answers. Nobody does it for others:
 * the access table says so.
 */
export const forget = defineAction({
  description: 'session forget own',
  shownTo: 'private',
  changes: true,
  needsNoChatbot: true,
  isOwn: true,
  options: {},
  async *run(context) {
    const { forgetting, requester, platform, workspace, signal, confirmed } = context;
    const texts = context.texts.session.forget;
    const person = { id: requester.id, name: requester.name, platform, workspace };
    const questions = await forgetting.count(person);
    if (questions === 0) yield texts.none;
    else if (confirmed) {
      const steps = forgetting.forget(person, signal);
      let step = await steps.next();
      for (; !step.done; step = await steps.next())
        yield texts.doing(step.value.done, step.value.all);
      yield render(step.value, context);
    } else {
      yield askToConfirm(context, {
        command: 'session',
        action: 'forget',
        question: texts.ask(questions),
        label: context.texts.deleteLabel,
      });
    }
  },
});

function render(to: Forgotten, { texts: all, slash }: ActionContext): string {
  const { done, left: texts } = all.session.forget;
  const { running, unsupported, unknown, failed, posts, whyFailed, whyPosts } = to.left;
  const lines = [
    running > 0 ? texts.running(running) : [],
    unsupported > 0 ? texts.unsupported(unsupported) : [],
    unknown > 0 ? texts.unknown(unknown) : [],
    failed > 0 ? texts.failed(failed, explainError(whyFailed, all)) : [],
    posts > 0 ? texts.posts(posts, explainError(whyPosts, all)) : [],
  ].flat();
  const deleted = `🗑️ ${done(to.questions, to.answers, to.posts)}`;
  if (lines.length === 0) return deleted;
  const list = lines.map((line) => `- ${line}`).join('\n');
  const again = running + failed + posts > 0 ? `\n\n${texts.again(slash('session forget'))}` : '';
  return `${deleted}\n\n⚠️ ${texts.heading}\n${list}${again}`;
}
