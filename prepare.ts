/** The last step of `npm ci`: builds the Studio if possible. */

/** Undefined after `npm ci --omit=dev`, which installs nothing: a build contains all it needs (docs/deploying.md). */
const vite = await import('vite').catch(() => undefined);

const print = (line: string) => process.stdout.write(`${line}\n`);

if (!vite)
  print('Nothing to run is installed: leave out --omit=dev, or run what npm run build makes.');
else if (/[#?]/.test(import.meta.dirname))
  print(
    'The Studio is left out: Vite builds and tests nothing in a path with # or ?. npm start works.',
  );
else await vite.build({ configFile: 'vite.studio.config.ts', logLevel: 'warn' });
