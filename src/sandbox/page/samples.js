/** What a dragged sample document carries: its name. */
export const sampleType = 'application/x-causeway-sample';

/**
 * A sample document as a file.
 *
 * @param {string} name
 */
export async function fetchSample(name) {
  const response = await fetch(`samples/${encodeURIComponent(name)}`);
  return new File([await response.blob()], name);
}
