/** Reads a body; one longer than `max` bytes only up to there, or throws what `tooLarge` returns. */
export async function readUpTo(
  body: AsyncIterable<Uint8Array> | null,
  max: number,
  tooLarge?: () => Error,
): Promise<Buffer<ArrayBuffer>> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of body ?? []) {
    parts.push(part);
    bytes += part.byteLength;
    if (bytes > max && tooLarge) throw tooLarge();
    if (bytes > max) break;
  }
  return Buffer.concat(parts).subarray(0, max);
}
