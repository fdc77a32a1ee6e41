/**
 * Finds the thread in which the bot answers the user's last action. The answer may begin before the
 * sandbox confirms that action, so only the order of the changes counts.
 */
export function createAnswers(directory) {
  /**
   * Per platform, the messages in channels since the user acted. An answer's thread starts from one
   * of them: from the user's own, or from the bot's after a command.
   *
   * @type {Record<string, Set<string> | undefined>}
   */
  const openers = {};

  function isOpener(platform, { author, onlyFor, thread }) {
    const isOurs = author.bot || author.id === directory.me(platform).id;
    return isOurs && !onlyFor && thread === undefined;
  }

  return {
    /** To be called before a message, a command or a form is sent, or a button is pressed. */
    expect(platform) {
      openers[platform] = new Set();
    },

    /** The thread that answers, if the change is the first sign of it. */
    find(change) {
      const { platform, kind, message } = change;
      const known = openers[platform];
      if (!known) return undefined;
      if (kind === 'message' && isOpener(platform, message)) known.add(message.id);
      const thread = findAnswered(change);
      if (thread === undefined || !known.has(thread)) return undefined;
      openers[platform] = undefined;
      return thread;
    },
  };
}

/** The thread in which the bot does something. */
function findAnswered({ kind, thread, text, message }) {
  if (kind === 'thread') return thread.id;
  if (kind === 'activity') return text ? thread : undefined;
  return kind === 'message' && message.author.bot ? message.thread : undefined;
}
