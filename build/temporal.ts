import type { Plugin } from 'vite';

const USES_TEMPORAL = /\bTemporal\./;

/** Node has Temporal since 26. Bundles bring one along for older ones; it is read only there. */
export function bringTemporal(): Plugin {
  const own = `const Temporal = globalThis.Temporal ?? require('temporal-polyfill').Temporal;`;
  return {
    name: 'bring-temporal',
    transform: (code, id) =>
      id.includes('/src/') && !id.includes('/node_modules/') && USES_TEMPORAL.test(code)
        ? { code: `${own}\n${code}`, map: null }
        : undefined,
  };
}
