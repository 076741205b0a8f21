import { defineConfig } from 'vitest/config';

export default defineConfig({
  // Vite would resolve `graphql` in our sources to another copy than Yoga and Pothos load from
  // node_modules; these conditions give everybody the same one (test/graph/one-graphql.test.ts).
  ssr: { resolve: { conditions: ['module-sync', 'node', 'development|production'] } },
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: 30_000,
  },
});
