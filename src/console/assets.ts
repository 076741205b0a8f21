import { readdirSync, readFileSync } from 'node:fs';

/** The files of the console's page, as text, by the names under which it asks for them. */
export type PageFiles = Readonly<Record<string, string>>;

/** What a browser is sent; the rest is for the compiler. */
const SENT = /\.(html|css|js|svg)$/;

/** `npm run build` calls this too, and puts what it returns in the place of this module. */
export function readAssets(): PageFiles {
  const folder = new URL('page/', import.meta.url);
  const names = readdirSync(folder).filter((name) => SENT.test(name));
  const chart = (name: string) => read(new URL(import.meta.resolve(`uplot/dist/${name}`)));
  return {
    ...Object.fromEntries(names.map((name) => [name, read(new URL(name, folder))])),
    // One look for both pages.
    'theme.css': read(new URL('../studio/page/theme.css', import.meta.url)),
    'uplot.js': chart('uPlot.esm.js'),
    'uplot.css': chart('uPlot.min.css'),
  };
}

const read = (file: URL) => readFileSync(file, 'utf8');
