/** The domain as `schema.ts` imports it: each file adds its fields to the schema builder. */

import './schema.ts';
import './node.ts';
import './live.ts';
