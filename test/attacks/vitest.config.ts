import { defineConfig, mergeConfig } from 'vitest/config';
import common from '../../vitest.config.ts';

/** `npm run test:attacks`: one after the other, since each one measures the whole machine's time. */
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
