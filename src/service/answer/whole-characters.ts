/**
 * Holds back a high surrogate until its low surrogate arrives, so that each delta can be encoded
 * separately. Empty deltas are dropped.
 */
export async function* toWholeCharacters<Outcome>(
  deltas: AsyncGenerator<string, Outcome>,
): AsyncGenerator<string, Outcome> {
  let held = '';
  try {
    for (;;) {
      const { done, value } = await deltas.next();
      if (done) {
        if (held !== '') yield held.toWellFormed();
        return value;
      }
      const text = held + value;
      const last = text.charCodeAt(text.length - 1);
      const isCut = last >= 0xd800 && last <= 0xdbff;
      held = isCut ? text.slice(-1) : '';
      const whole = isCut ? text.slice(0, -1) : text;
      if (whole !== '') yield whole.toWellFormed();
    }
  } finally {
    await deltas.return(undefined as Outcome);
  }
}
