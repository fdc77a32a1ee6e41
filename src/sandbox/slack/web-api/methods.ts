import { agentsMethods, type AgentsOptions } from './agents.ts';
import type { ApiMethod } from './api-method.ts';
import { assistantMethods, type AssistantOptions } from './assistant.ts';
import { authMethods, type AuthOptions } from './auth.ts';
import { chatMethods, type ChatOptions } from './chat.ts';
import { conversationsMethods, type ConversationsOptions } from './conversations.ts';
import { filesMethods, type FilesOptions } from './files.ts';
import { streamsMethods, type StreamsOptions } from './streams.ts';
import { usergroupsMethods, type UsergroupsOptions } from './usergroups.ts';
import { usersMethods, type UsersOptions } from './users.ts';
import { viewsMethods, type ViewsOptions } from './views.ts';

/** What all methods work on. */
export type MethodsOptions = AgentsOptions &
  AssistantOptions &
  AuthOptions &
  ChatOptions &
  ConversationsOptions &
  FilesOptions &
  StreamsOptions &
  UsergroupsOptions &
  UsersOptions &
  ViewsOptions;

/** All Web API methods of the sandbox, by name. */
export function createMethods(options: MethodsOptions): Record<string, ApiMethod> {
  return {
    ...agentsMethods(options),
    ...assistantMethods(options),
    ...authMethods(options),
    ...chatMethods(options),
    ...conversationsMethods(options),
    ...filesMethods(options),
    ...streamsMethods(options),
    ...usergroupsMethods(options),
    ...usersMethods(options),
    ...viewsMethods(options),
  };
}
