import { agentScenarios } from './agent.ts';
import { askingScenarios } from './asking.ts';
import { chatbotScenarios } from './chatbot.ts';
import { edgeScenarios } from './edge-input.ts';
import { forgettingScenarios } from './forgetting.ts';
import { placeScenarios } from './place.ts';
import type { NounScenarios } from './scenario.ts';
import { sessionScenarios } from './session.ts';
import { sourceChangeScenarios } from './source-changes.ts';
import { sourceScenarios } from './source.ts';
import { tagScenarios } from './tag.ts';

const nouns: readonly NounScenarios[] = [
  askingScenarios,
  sourceScenarios,
  sourceChangeScenarios,
  tagScenarios,
  agentScenarios,
  chatbotScenarios,
  placeScenarios,
  sessionScenarios,
  edgeScenarios,
  forgettingScenarios,
];

/** The scenarios of all commands. */
export const scenarios: NounScenarios = {
  works: nouns.flatMap(({ works }) => works),
  refuses: nouns.flatMap(({ refuses }) => refuses),
};
