/** `npm ci` ends with this: builds the Studio, where the packages for that are installed. */

/** Undefined after `npm ci --omit=dev`, which installs nothing: builds hold all that they need (docs/deploying.md). */
const vite = await import('vite').catch(() => undefined);

if (vite) await vite.build({ configFile: 'vite.studio.config.ts', logLevel: 'warn' });
else
  process.stdout.write(
    'Nothing to run is installed: leave out --omit=dev, or run what npm run build makes.\n',
  );
