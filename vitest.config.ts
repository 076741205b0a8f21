import { defineConfig } from 'vitest/config';

/** Time limits of tests guard against what hangs, and against nothing else: a slow machine only takes longer. */
const PATIENCE_MS = 600_000;

export default defineConfig({
  // Vite would resolve `graphql` in our sources to another copy than Yoga and Pothos load from
  // node_modules; these conditions give everybody the same one (test/graph/one-graphql.test.ts).
  ssr: { resolve: { conditions: ['module-sync', 'node', 'development|production'] } },
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/build-studio.ts'],
    // One processor less is the default; tests mostly wait.
    maxWorkers: '100%',
    testTimeout: PATIENCE_MS,
    hookTimeout: PATIENCE_MS,
    expect: { poll: { interval: 5, timeout: PATIENCE_MS / 5 } },
  },
});
