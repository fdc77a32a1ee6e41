import { fetchSample, sampleType } from './samples.js';

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
