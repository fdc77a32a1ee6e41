import { expect, test } from 'vitest';
import type { World } from './world.ts';

/** In a thread commands can be said to the bot: Slack has no slash commands there. */
export function testMentionCommands(world: () => World): void {
  test('act upon the session of the thread, for those who may', async () => {
    const { client, converse, member } = world();
    const { thread, session } = await converse('What is said in here?', 'help');
    await member.say(thread, '@bot session show', /1 message[^]+What is said in here\?/);
    await member.say(thread, '@bot /session export --format json', /the message as a file/);
    await member.say(thread, '@bot session delete', /Only managers/);
    expect(await client.listMessages(session)).toHaveLength(1);
  });

  test('are questions where they are no commands', async () => {
    const { client, converse, member } = world();
    const { thread, session } = await converse('And what is asked in here?', 'help');
    await member.say(thread, '@bot session limits, are there any?', /At nine/);
    const queries = (await client.listMessages(session)).map(({ query }) => query);
    expect(queries.at(-1)).toMatch(/session limits/);
    await member.say(thread, '@bot session new', /A new session starts here/);
    await member.say(thread, 'What was asked?', /At nine/);
    expect(await client.listMessages(session)).toHaveLength(2);
  });

  test('ask a question in the new session of the thread', async () => {
    const { client, chatbot, converse, member } = world();
    const { thread, session } = await converse('What was it before?', 'help');
    await member.say(thread, '@bot /session new When is it open again?', /At nine/);
    const sessions = await client.listSessions(chatbot);
    const messages = await Promise.all(sessions.map(({ uuid }) => client.listMessages(uuid)));
    const queries = messages.map((all) => all.map(({ query }) => query));
    expect(queries).toContainEqual(['When is it open again?']);
    expect(await client.listMessages(session)).toHaveLength(1);
  });
}
