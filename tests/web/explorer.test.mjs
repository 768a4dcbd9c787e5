/** The explorer page in a real browser: `node --test tests/web/`. The page must have been built. */

import { after, before } from 'node:test';
import { start, stop } from './browser.mjs';

before(start);
after(stop);

await import('./starting_points.mjs');
await import('./numbers.mjs');
await import('./links.mjs');
await import('./exports.mjs');
await import('./keyboard.mjs');
await import('./messages.mjs');
await import('./looks.mjs');
await import('./opened_motion.mjs');
await import('./served.mjs');
