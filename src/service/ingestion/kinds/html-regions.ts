/** The region of a page that an element is in: the main content, what surrounds it, or neither. */
export type Region = 'main' | 'body' | 'around' | 'hidden';

const hiddenElements = new Set(
  'script style noscript template svg math canvas iframe object embed audio video select option button textarea input datalist dialog'.split(
    ' ',
  ),
);
const surroundingRoles = new Set([
  'navigation',
  'banner',
  'contentinfo',
  'complementary',
  'search',
]);
const surroundingNames = new Set(
  'nav navbar navigation menu sidebar footer site-footer site-header breadcrumb breadcrumbs cookie cookies cookie-banner toc skip-link share social advertisement ads headerlink anchor-link'.split(
    ' ',
  ),
);

/** The region of an element, given the region around it. */
export function toRegion(name: string, attributes: Record<string, string>, outer: Region): Region {
  if (outer === 'hidden' || hiddenElements.has(name) || isHidden(name, attributes)) return 'hidden';
  const { role = '' } = attributes;
  if (name === 'nav' || role === 'navigation' || isNamedAround(name, attributes, outer))
    return 'around';
  if (name === 'main' || name === 'article' || role === 'main') return 'main';
  if (name === 'footer') return 'around';
  if (outer === 'body' && (name === 'header' || name === 'aside' || surroundingRoles.has(role))) {
    return 'around';
  }
  return outer;
}

function isHidden(name: string, attributes: Record<string, string>): boolean {
  return (
    'hidden' in attributes ||
    (attributes['aria-hidden'] === 'true' && name !== 'body' && name !== 'html') ||
    /display:\s*none/iu.test(attributes.style ?? '') ||
    (name === 'sup' && /\breference\b/u.test(attributes.class ?? ''))
  );
}

function isNamedAround(name: string, attributes: Record<string, string>, outer: Region): boolean {
  if (outer === 'main' && name !== 'a') return false;
  if (name === 'body' || name === 'html') return false;
  const names = `${attributes.class ?? ''} ${attributes.id ?? ''}`.toLowerCase().split(/\s+/u);
  return names.some((name) => surroundingNames.has(name));
}
