import { defineConfig, mergeConfig } from 'vitest/config';
import common from '../../vitest.config.ts';

/** `npm run test:attacks`: one after the other, since attacks at the same time would distort each other's figures. */
export default mergeConfig(
  { ...common, test: { ...common.test, include: [] } },
  defineConfig({
    test: {
      include: ['test/attacks/**/*.attack.ts'],
      reporters: ['verbose'],
      fileParallelism: false,
      testTimeout: 300_000,
      hookTimeout: 120_000,
    },
  }),
);
