import {
  buildClientSchema,
  getIntrospectionQuery,
  type GraphQLSchema,
  type IntrospectionQuery,
} from 'graphql';
import { useEffect, useState } from 'react';
import { byId } from '../dom.ts';

/** The schema, loaded with the editor; if a key was missing, again once something is run with one. */
export function useSchema(introspect: (query: string) => Promise<unknown>): GraphQLSchema | null {
  const [schema, setSchema] = useState<GraphQLSchema | null>(null);
  useEffect(() => {
    const load = () => void loadSchema(introspect).then((loaded) => loaded && setSchema(loaded));
    load();
    const login = byId('login');
    // The form for a key is hidden when something is run.
    const closing = new MutationObserver(([change]) => {
      if (change?.oldValue === null && login.hidden) load();
    });
    closing.observe(login, { attributeFilter: ['hidden'], attributeOldValue: true });
    return () => closing.disconnect();
  }, [introspect]);
  return schema;
}

/** By default neither deprecated arguments nor the description of the schema are asked for. */
const EVERYTHING = { schemaDescription: true, specifiedByUrl: true, inputValueDeprecation: true };

/** Undefined if the gateway does not return its schema: completion is missing then, everything else works. */
async function loadSchema(introspect: (query: string) => Promise<unknown>) {
  const data = await introspect(getIntrospectionQuery(EVERYTHING)).catch(() => undefined);
  return data ? buildClientSchema(data as IntrospectionQuery) : undefined;
}
