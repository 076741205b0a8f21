import { defineConfig } from 'vitest/config';

/** Timeout of tests. It only guards against tests that hang: on a slow machine they may take longer. */
const PATIENCE_MS = 600_000;

export default defineConfig({
  // Vite would resolve `graphql` in the sources to another copy than the one that Yoga and Pothos load from
  // node_modules; with these conditions all load the same one (test/graph/one-graphql.test.ts).
  ssr: { resolve: { conditions: ['module-sync', 'node', 'development|production'] } },
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/build-studio.ts'],
    // The default leaves one processor unused, but tests mostly wait.
    maxWorkers: '100%',
    testTimeout: PATIENCE_MS,
    hookTimeout: PATIENCE_MS,
    expect: { poll: { interval: 5, timeout: PATIENCE_MS / 5 } },
  },
});
