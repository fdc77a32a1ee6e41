/** The size of a file, such as `7 kB`. */
export function renderSize(bytes) {
  if (bytes < 1024) return `${bytes} B`;
  if (bytes < 1024 * 1024) return `${Math.round(bytes / 1024)} kB`;
  return `${(bytes / 1024 / 1024).toFixed(1)} MB`;
}

/** What a dragged sample document carries: its name. */
export const sampleType = 'application/x-causeway-sample';

/** A sample document, by its name, as a file. */
export async function fetchSample(name) {
  const response = await fetch(`samples/${encodeURIComponent(name)}`);
  return new File([await response.blob()], name);
}

/**
 * Takes files that are dropped on an element.
 *
 * @param {HTMLElement} element has the class `dropping` while files are over it
 * @param {(files: Iterable<File>) => void} take
 */
export function takeDrops(element, take) {
  const mark = (isOver) => element.classList.toggle('dropping', isOver);
  element.addEventListener('dragover', (event) => {
    if (hasFiles(event)) mark(true);
  });
  element.addEventListener('dragleave', ({ relatedTarget }) => {
    if (!(relatedTarget instanceof Node && element.contains(relatedTarget))) mark(false);
  });
  element.addEventListener('drop', (event) => {
    mark(false);
    const sample = event.dataTransfer?.getData(sampleType);
    if (sample) void fetchSample(sample).then((file) => take([file]));
    else if (hasFiles(event)) take(event.dataTransfer.files);
  });
}

/** Without this, the browser leaves the page for a file that is dropped beside an element. */
export function stayOnDrops() {
  for (const type of ['dragover', 'drop']) {
    addEventListener(type, (event) => {
      if (event instanceof DragEvent && hasFiles(event)) event.preventDefault();
    });
  }
}

function hasFiles({ dataTransfer }) {
  const types = dataTransfer?.types ?? [];
  return types.includes('Files') || types.includes(sampleType);
}
