/**
 * The explorer page in a real browser: `node --test tests/web/`. The page must have been built. One browser runs all of it,
 * because starting one takes as long as a test; `node --test tests/web/FILE.mjs` runs a part.
 */

import './starting_points.mjs';
import './numbers.mjs';
import './links.mjs';
import './exports.mjs';
import './keyboard.mjs';
import './messages.mjs';
import './looks.mjs';
import './inputs.mjs';
import './past.mjs';
import './impact_course.mjs';
import './explained.mjs';
import './sharing.mjs';
import './found_wrong.mjs';
import './served.mjs';
import './motion.mjs';
import './opened_motion.mjs';
import './scene.mjs';
import './opened_impact.mjs';
import './contacts.mjs';
import './report.mjs';
