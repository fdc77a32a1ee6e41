const extensionsByType: Record<string, string[]> = {
  image: ['.png', '.jpg', '.jpeg', '.gif', '.webp', '.bmp', '.tiff', '.heic', '.avif', '.svg'],
  video: ['.mp4', '.mov', '.webm', '.mkv', '.avi', '.m4v'],
  audio: ['.mp3', '.wav', '.ogg', '.m4a', '.flac', '.aac', '.opus'],
};

/** Whether a file's name is of one of the types, kinds (`image`) or extensions (`.pdf`), if any are named. */
export function isOfType(name: string, types: readonly string[] | null | undefined): boolean {
  if (!types || types.length === 0) return true;
  const endings = types.flatMap((type) => extensionsByType[type] ?? [type]);
  return endings.some((ending) => name.toLowerCase().endsWith(ending.toLowerCase()));
}
