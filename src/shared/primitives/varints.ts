/** Numbers that are not negative, of seven bits a byte, highest first; the last byte of each is below 128. */
export function toVarints(numbers: readonly number[]): Uint8Array {
  return Uint8Array.from(numbers.flatMap(toBytes));
}

function toBytes(number: number): number[] {
  const bytes = [number % 128];
  for (let rest = Math.floor(number / 128); rest > 0; rest = Math.floor(rest / 128)) {
    bytes.unshift((rest % 128) + 128);
  }
  return bytes;
}

/** The opposite of `toVarints`; SQLite writes such numbers too, if they are below 2^56. */
export function readVarints(bytes: Uint8Array): number[] {
  const numbers: number[] = [];
  let number = 0;
  for (const byte of bytes) {
    number = number * 128 + (byte & 127);
    if (byte >= 128) continue;
    numbers.push(number);
    number = 0;
  }
  return numbers;
}

/** Where to read the next number. */
export interface Cursor {
  bytes: Uint8Array;
  at: number;
}

/** Reads one number; the cursor is then after it. */
export function readVarint(cursor: Cursor): number {
  let number = 0;
  for (;;) {
    const byte = cursor.bytes[cursor.at] ?? 0;
    cursor.at += 1;
    number = number * 128 + (byte & 127);
    if (byte < 128) return number;
  }
}
