import { expect, it, describe } from 'vitest';
import { askAlone, type Desk, desks } from './desk.ts';
import { openApp, type OpenedApp } from './open-app.ts';

const question = 'Where is the canteen?';
const answer = 'The canteen is in building B.';

/** The app on its sandbox, and people on one of the platforms. */
async function open(platform: keyof typeof desks): Promise<OpenedApp & { desk: Desk }> {
  const app = await openApp();
  return { ...app, desk: desks[platform](app.sandbox) };
}

/** Uses a command of Ada's, who manages, and waits for what it says. */
async function manage(desk: Desk, words: string, values: Record<string, string>, says: RegExp) {
  await desk.command('ada', words, values);
  const isIt = ({ text }: { text: string }) => says.test(text);
  return desk.until(() => [...desk.seen('ada'), ...desk.seenAlone('ada')].findLast(isIt));
}

const shown = (desk: Desk, thread: string | undefined, says: RegExp) =>
  desk.until(() => desk.seen('ada', thread).find(({ text }) => says.test(text)));

const told = (desk: Desk, who: string, says: RegExp, thread?: string) =>
  desk.until(() => desk.seenAlone(who, thread).find(({ text }) => says.test(text)));

async function ask(desk: Desk, text = question) {
  const thread = await desk.say('linus', `${desk.bot} ${text}`);
  const refusal = await desk.until(() =>
    desk.seen('ada', thread).find(({ buttons }) => buttons.includes('Answer this')),
  );
  expect(refusal.text).toMatch(/^I found no answer to that/);
  return { thread, refusal };
}

const formOf = (desk: Desk, who: string) => desk.until(() => desk.form(who));

describe.each(['Slack', 'Discord'] as const)('on %s', (platform) => {
  it('a channel is quiet about what the sources don’t answer: people are told, the bot when mentioned', async () => {
    await using app = await open(platform);
    const { desk } = app;
    await manage(desk, 'source qa', { question: 'When is lunch?', answer: 'At noon.' }, /is ready/);
    await manage(desk, 'chatbot follow', { how: 'everything' }, /I answer every message/);
    await manage(desk, 'chatbot notify', { channel: channelOf(app, platform) }, /✅ \*+Who is/);
    const values = { way: 'quiet', call: 'yes' };
    await manage(desk, 'chatbot unsure', values, /post nothing, unless .* I also notify /);
    const thread = await desk.say('linus', question);
    const says = /linus.* asked something that my sources don’t clearly answer/i;
    const call = await shown(desk, undefined, says);
    expect(desk.seen('linus', thread)).toEqual([]);
    const listed = /1\. .*Where is the canteen\?.* · no answer found/;
    const list = await manage(desk, 'gaps', {}, listed);
    // No thread was opened: links lead to the question.
    const link = platform === 'Discord' ? `/${channelOf(app, platform)}/${thread}` : '';
    for (const { text } of [call, list]) expect(text).toContain(link);

    const known = await desk.say('linus', 'When is lunch?');
    await shown(desk, known, /At noon/);
    await ask(desk);
  });

  it('a question of one person’s own leaves nothing, and its answer is shared by a button', async () => {
    await using app = await open(platform);
    const { desk } = app;
    await desk.command('linus', 'ask', { question, private: 'yes' });
    expect((await told(desk, 'linus', /^I found no answer/)).buttons).toEqual([]);
    await manage(desk, 'source qa', { question, answer }, /is ready/);
    const before = await app.sessions();
    await desk.command('linus', 'ask', { question, private: 'yes' });
    const own = await told(desk, 'linus', /building B[^]*canteen/);
    expect(own.buttons).toEqual(['Share in channel']);
    expect(desk.seen('ada').filter(({ text }) => text.includes('building B'))).toEqual([]);
    expect(desk.seenAlone('ada').filter(({ text }) => text.includes('building B'))).toEqual([]);
    expect(await app.sessions()).toEqual(before);

    await desk.press('linus', own.id, 'Share in channel');
    const shared = await shown(desk, undefined, /Where is the canteen\?[^]*building B/);
    expect(shared.text).toMatch(/Shared by Linus/);
    expect(shared.pings).toEqual([]);
  });

  it('an action of a message asks what it says, after one could change it', async () => {
    await using app = await open(platform);
    const { desk } = app;
    await manage(desk, 'source qa', { question, answer }, /is ready/);
    const message = await desk.say('grace', question);
    await desk.act('linus', message, askAlone);
    const form = await formOf(desk, 'linus');
    expect(form.fields).toEqual({ question });
    await desk.submit('linus', form, { question: 'Where’s the canteen?' });
    await told(desk, 'linus', /building B/);
    expect(desk.seen('ada').filter(({ text }) => text.includes('building B'))).toEqual([]);
  });

  it('a manager answers below a refusal: it is taught, answered anew, and the asker told', async () => {
    await using app = await open(platform);
    const { desk } = app;
    const { thread, refusal } = await ask(desk);
    const equal = await ask(desk, 'where is the canteen');

    await desk.press('linus', refusal.id, 'Answer this', thread);
    await told(desk, 'linus', /^Only managers/, thread);
    expect(desk.form('linus')).toBeUndefined();

    await desk.press('ada', refusal.id, 'Answer this', thread);
    const form = await formOf(desk, 'ada');
    expect(form.fields).toEqual({ question, answer: '' });
    await desk.submit('ada', form, { question, answer });
    await told(desk, 'ada', /is ready[^]*answering the 2 questions again/, thread);
    await shown(desk, thread, /^The canteen is in building B/);
    await shown(desk, equal.thread, /^The canteen is in building B/);
    await told(desk, 'linus', /Ada.* has taught me the answer to your question/);
    await manage(desk, 'gaps', {}, /0 questions without a helpful answer/);
    const old = desk.seen('ada', thread).find(({ id }) => id === refusal.id);
    expect(old?.buttons).toEqual([]);
  });

  it('a manager answers from the list that a message asked for, wherever that is shown', async () => {
    await using app = await open(platform);
    const { desk } = app;
    const { thread } = await ask(desk);
    await desk.say('ada', `${desk.bot} /gaps`);
    const list = await told(desk, 'ada', /1\. .*Where is the canteen\?/);
    await desk.press('ada', list.id, 'Answer 1');
    const form = await formOf(desk, 'ada');
    expect(form.fields).toEqual({ question, answer: '' });
    await desk.submit('ada', form, { question, answer });
    await told(desk, 'ada', /is ready[^]*answering the question again/);
    await shown(desk, thread, /^The canteen is in building B/);
  });

  it('of two answers to one question, the first counts', async () => {
    await using app = await open(platform);
    const { desk } = app;
    const { thread } = await ask(desk);
    const list = await manage(desk, 'gaps', {}, /1\. .*Where is the canteen\?/);
    await desk.press('ada', list.id, 'Answer 1');
    const form = await formOf(desk, 'ada');
    await manage(desk, 'source answer', { gap: question, answer }, /answering the question again/);
    await shown(desk, thread, /^The canteen is in building B/);
    await desk.submit('ada', form, { question, answer: 'It has closed.' });
    await told(desk, 'ada', /This question isn’t open/);
    expect(desk.seen('ada', thread).filter(({ text }) => text.includes('closed'))).toEqual([]);
  });
});

/** The channel in which people are told, as commands name it. */
function channelOf({ sandbox }: OpenedApp, platform: keyof typeof desks): string {
  const { slack, discord } = sandbox;
  if (platform === 'Slack') return '#general';
  return discord.channels().find(({ name }) => name === 'general')?.id ?? slack.team.id;
}
