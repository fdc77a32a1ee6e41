import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { createTemporaryFolder } from '../../fixtures/temporary-folder.ts';
import { fillLongChannels } from '../long-channels.ts';
import { channel, hasChromium, see, usePage, write } from './open-page.ts';
