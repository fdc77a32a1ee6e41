import { z } from 'zod';

export const User = z.looseObject({ data: z.looseObject({ email: z.string() }) });
