import { countTokens } from '../ingestion/tokens.ts';
import { AnswerError } from './answer-error.ts';
import type { AnswerOutcome, AskedQuestion } from './asked-question.ts';
import type { TokenUsage } from './completion.ts';
import { createMarkerFilter } from './keep-markers.ts';
import type { LanguageModel } from './language-model.ts';
import { toCitations } from './numbered-passages.ts';
import type { ChatMessage } from './request-form.ts';
import { type PromptMaterial, toPrompt, toRoom } from './prompt.ts';

/** The model's answer as it streams, with only the markers that refer to a passage. */
export async function* answerWithModel(
  model: LanguageModel,
  asked: PromptMaterial & { question: AskedQuestion },
  signal: AbortSignal,
): AsyncGenerator<string, AnswerOutcome> {
  const { question, agent } = asked;
  const contextTokens = await model.contextTokens(agent.settings.model, signal);
  const room = toRoom(contextTokens, model.maxTokens);
  const { messages, passages } = toPrompt(question, asked, room);
  const { showCitations } = question.chatbot;
  const known = showCitations ? passages.map(({ marker }) => marker) : [];
  const markers = createMarkerFilter(new Set(known));
  const completion = model.complete(
    {
      messages,
      model: agent.settings.model,
      temperature: agent.settings.temperature,
    },
    signal,
  );
  let reply = '';
  try {
    for (;;) {
      const { done, value } = await completion.next();
      const text = done ? markers.end() : markers.push(value);
      if (text !== '') {
        reply += text;
        yield text;
      }
      if (!done) continue;
      if (reply === '') throw new AnswerError('model_gave_nothing');
      const citations = toCitations(passages, markers.used);
      const usage = value.usage ?? countUsage(messages, reply);
      const meta = { model: value.model, actual_token_distribution: usage };
      return { finishReason: value.finishReason, citations, meta };
    }
  } finally {
    // If the reader leaves early, the model stops too.
    await completion.return({ finishReason: 'stop', model: model.defaultModel });
  }
}

/** An estimate, for servers that don't tell. */
function countUsage(messages: readonly ChatMessage[], reply: string): TokenUsage {
  const prompt = messages.reduce((sum, { content }) => sum + countTokens(content), 0);
  const completion = countTokens(reply);
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
  };
}
