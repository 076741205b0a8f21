import { readdirSync, readFileSync } from 'node:fs';

/** The files of the console's page: their text by the names under which the page requests them. */
export type PageFiles = Readonly<Record<string, string>>;

/** Files that are sent to browsers; the rest is for the compiler. */
const SENT = /\.(html|css|js|svg)$/;

/** `npm run build` calls this too, and replaces this module with one that returns the result. */
export function readAssets(): PageFiles {
  const folder = new URL('page/', import.meta.url);
  const names = readdirSync(folder).filter((name) => SENT.test(name));
  const chart = (name: string) => read(new URL(import.meta.resolve(`uplot/dist/${name}`)));
  return {
    ...Object.fromEntries(names.map((name) => [name, read(new URL(name, folder))])),
    // The console and the Studio share one look.
    'theme.css': read(new URL('../studio/page/theme.css', import.meta.url)),
    'uplot.js': chart('uPlot.esm.js'),
    'uplot.css': chart('uPlot.min.css'),
  };
}

const read = (file: URL) => readFileSync(file, 'utf8');
