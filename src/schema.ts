import './graph/scalars.ts';
import './domains/fx/index.ts';
import './domains/macro/index.ts';
import './domains/legislation/index.ts';
import './domains/calendar/index.ts';
import './domains/crypto/index.ts';
import './domains/usage/index.ts';
import './domains/links.ts';
import { builder } from './graph/builder.ts';

/** The whole schema: a domain is one of the lines above. */
export const schema = builder.toSchema();
