/** `npm ci` ends with this: builds the Studio, where the packages for that are installed. */

/** Undefined where only what the gateway itself needs is installed. */
const vite = await import('vite').catch(() => undefined);

if (vite) await vite.build({ configFile: 'vite.studio.config.ts', logLevel: 'warn' });
else
  process.stdout.write('The Studio is not built: npm ci --omit=dev leaves out what that takes.\n');
