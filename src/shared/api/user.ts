import { z } from 'zod';

export const User = z.looseObject({
  data: z.looseObject({ name: z.string().nullish(), email: z.string() }),
});
