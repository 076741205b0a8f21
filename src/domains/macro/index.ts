/** The domain as `schema.ts` imports it: the file adds its fields to the schema builder. */

import './schema.ts';
