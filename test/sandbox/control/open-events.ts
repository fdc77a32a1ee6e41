/** The events of the stream, one by one. */
export async function openEvents(control: string) {
  const stop = new AbortController();
  const response = await fetch(`${control}/events`, { signal: stop.signal });
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let pending = '';
  async function next(): Promise<unknown> {
    for (;;) {
      const end = pending.indexOf('\n\n');
      if (end < 0) {
        const { value = '', done = true } = (await reader?.read()) ?? {};
        if (done) throw new Error('The stream has ended.');
        pending += value;
        continue;
      }
      const event = pending.slice(0, end);
      pending = pending.slice(end + 2);
      if (event.startsWith('data: ')) return JSON.parse(event.slice('data: '.length));
    }
  }
  return {
    next,
    async [Symbol.asyncDispose]() {
      await reader?.cancel();
      stop.abort();
    },
  };
}
