import type { Logger } from 'pino';
import { createApp as create } from './app.ts';
import type { CreateApp } from './embed.ts';

/** What the npm package exports. */

export * from './embed.ts';

export const createApp: CreateApp = (config, { log } = {}) =>
  create(config, log && { log: log as Logger });
