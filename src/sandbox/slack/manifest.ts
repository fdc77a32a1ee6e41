import { complaints } from './complaints.ts';
import { manifestSchema } from './manifest-schema.ts';

/** An entry of a message's menu, which sends the message to the app. */
export interface MessageShortcut {
  name: string;
  callbackId: string;
}

/** The app's configuration from its manifest. */
export interface AppManifest {
  /**
   * Takes a manifest in place of the one before.
   * @throws {Error} when Slack would refuse it
   */
  install(manifest: unknown): void;
  shortcuts(): MessageShortcut[];
}

/** The app starts with no manifest and no shortcuts. */
export function createAppManifest(): AppManifest {
  let shortcuts: MessageShortcut[] = [];
  return {
    install(manifest) {
      const found = complaints(manifestSchema, manifest, '/manifest');
      if (found.length > 0) throw new Error(`The manifest is invalid: ${found.join('; ')}`);
      const { features } = manifestSchema.parse(manifest);
      shortcuts = (features?.shortcuts ?? [])
        .filter(({ type }) => type === 'message')
        .map(({ name, callback_id: callbackId }) => ({ name, callbackId }));
    },
    shortcuts: () => shortcuts,
  };
}
