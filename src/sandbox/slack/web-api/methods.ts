import type { ApiMethod } from './api-method.ts';
import { assistantMethods, type AssistantOptions } from './assistant.ts';
import { authMethods, type AuthOptions } from './auth.ts';
import { chatMethods, type ChatOptions } from './chat.ts';
import { conversationsMethods, type ConversationsOptions } from './conversations.ts';
import { filesMethods, type FilesOptions } from './files.ts';
import { usersMethods, type UsersOptions } from './users.ts';
import { viewsMethods, type ViewsOptions } from './views.ts';

/** What all methods work on. */
export type MethodsOptions = AssistantOptions &
  AuthOptions &
  ChatOptions &
  ConversationsOptions &
  FilesOptions &
  UsersOptions &
  ViewsOptions;

/** Every method of the Web API the sandbox speaks, by its name. */
export function createMethods(options: MethodsOptions): Record<string, ApiMethod> {
  return {
    ...assistantMethods(options),
    ...authMethods(options),
    ...chatMethods(options),
    ...conversationsMethods(options),
    ...filesMethods(options),
    ...usersMethods(options),
    ...viewsMethods(options),
  };
}
