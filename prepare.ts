/** The last step of `npm ci`: builds the Studio if possible. */

/** Undefined after `npm ci --omit=dev`, which installs nothing: a build contains all it needs (docs/deploying.md). */
const vite = await import('vite').catch(() => undefined);

const print = (line: string) => process.stdout.write(`${line}\n`);

if (!vite)
  print(
    'Development packages are not installed: run npm ci without --omit=dev, or run what npm run build produces.',
  );
else if (/[#?]/.test(import.meta.dirname))
  print(
    'The Studio is not built: Vite cannot build or test in a path that contains # or ?. npm start works without it.',
  );
else await vite.build({ configFile: 'vite.studio.config.ts', logLevel: 'warn' });
