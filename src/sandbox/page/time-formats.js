/** As in 5:22 PM. */
export const timeOfDay = new Intl.DateTimeFormat([], { timeStyle: 'short' });

/** As in Sunday, November 22, 2026 at 5:22 PM. */
export const dateAndTime = new Intl.DateTimeFormat([], { dateStyle: 'full', timeStyle: 'short' });

/** As in Sunday, November 22, 2026. */
export const dayAndDate = new Intl.DateTimeFormat([], { dateStyle: 'full' });
