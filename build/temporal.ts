import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vite';

const POLYFILL = fileURLToPath(import.meta.resolve('temporal-polyfill'));
const TEMPORAL = `const Temporal = globalThis.Temporal ?? require(${JSON.stringify(POLYFILL)}).Temporal;`;

const USES_TEMPORAL = /\bTemporal\./;

/** Node has Temporal since version 26. For older ones bundles bring it along, and run it only there. */
export function bringTemporal(): Plugin {
  return {
    name: 'bring-temporal',
    transform: (code, id) =>
      id.includes('/src/') && !id.includes('/node_modules/') && USES_TEMPORAL.test(code)
        ? { code: `${TEMPORAL}\n${code}`, map: null }
        : undefined,
  };
}
