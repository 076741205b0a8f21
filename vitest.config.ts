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
    // A shared machine may stand still just when a browser or a server is to be in time: on CI such a test is tried once
    // more, and reported as retried. A property that does not hold fails at once, since another try has other inputs.
    retry: { count: process.env['CI'] ? 1 : 0, condition: /^(?!Property failed)/ },
    expect: { poll: { interval: 5, timeout: PATIENCE_MS / 5 } },
  },
});
