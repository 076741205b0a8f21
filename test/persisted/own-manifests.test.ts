import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { readManifest } from '../../src/documents/manifest.ts';
import { isSubscription, QUERIES, SUBSCRIPTIONS } from '../ready-made.ts';
import { ALLOW_LIST, open } from './gateway.ts';

/** What `npm run generate` makes of src/operations, served as an allow-list. */

const FOLDER = new URL('../../src/operations/', import.meta.url);

test.for(['persisted-documents.json', 'apollo-manifest.json', 'relay-documents.json'])(
  'a gateway that serves only %s serves every operation of the project',
  async (name) => {
    const path = fileURLToPath(new URL(`generated/${name}`, FOLDER));
    const { operations } = readManifest(readFileSync(path, 'utf8'));
    const { post } = await open({ paths: [path], env: ALLOW_LIST });
    const [live, plain] = [true, false].map((isLive) =>
      operations.filter(({ body }) => isSubscription(body) === isLive),
    );
    expect(plain).toHaveLength(QUERIES.length);
    expect(live).toHaveLength(SUBSCRIPTIONS.length);
    for (const { id } of plain!) {
      const { status, data, errors } = await post({ documentId: id });
      expect([status, errors]).toEqual([200, []]);
      expect(Object.values(Object(data))).not.toContain(null);
    }
    // They are found, but need a stream.
    for (const { id } of live!) {
      const { errors } = await post({ documentId: id }, '/graphql', { accept: 'application/json' });
      expect(errors).toMatchObject([{ extensions: { code: 'NOT_ACCEPTABLE' } }]);
    }
  },
);

test("Apollo's manifest asks for the names of types, as Apollo's clients do", () => {
  const text = readFileSync(new URL('generated/apollo-manifest.json', FOLDER), 'utf8');
  for (const { body } of readManifest(text).operations) expect(body).toContain('__typename');
});
