import {
  buildClientSchema,
  getIntrospectionQuery,
  type GraphQLSchema,
  type IntrospectionQuery,
} from 'graphql';
import { useEffect, useState } from 'react';
import { byId } from '../dom.ts';

/** The schema, asked for when the editor comes, and again with a key where that is missing. */
export function useSchema(introspect: (query: string) => Promise<unknown>): GraphQLSchema | null {
  const [schema, setSchema] = useState<GraphQLSchema | null>(null);
  useEffect(() => {
    const load = () => void loadSchema(introspect).then((loaded) => loaded && setSchema(loaded));
    load();
    const login = byId('login');
    // The key is in the headers by then.
    const later = () => setTimeout(load);
    login.addEventListener('submit', later);
    return () => login.removeEventListener('submit', later);
  }, [introspect]);
  return schema;
}

/** Undefined where the gateway does not tell: there is no completion then, and all else works. */
async function loadSchema(introspect: (query: string) => Promise<unknown>) {
  const data = await introspect(getIntrospectionQuery()).catch(() => undefined);
  return data ? buildClientSchema(data as IntrospectionQuery) : undefined;
}
