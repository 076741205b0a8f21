import { hash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

/** The output of `npm run build:studio`: the page, and the files that it loads. */

export type Encoding = 'br' | 'gzip' | 'identity';

/** A file that is read and compressed when an encoding is first requested, then kept in memory. */
export interface StudioFile {
  type: string;
  body(encoding: Encoding): Promise<Buffer>;
}

export interface StudioFiles {
  page: StudioFile;
  /** Changes whenever the page does. */
  etag: string;
  /** By file name, which changes whenever the content does. */
  assets: ReadonlyMap<string, StudioFile>;
}

/** Where the files may be: beside the folder of the bundle's chunks, or at the root of the repository. */
const FOLDERS = ['../studio/', '../../dist-studio/'];
const ASSETS = 'graphql/studio/';

const TYPES: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
  ttf: 'font/ttf',
};

/** Looks in `folders`, relative to this module. Returns undefined if the Studio has not been built. */
export function findStudioFiles(folders = FOLDERS): StudioFiles | undefined {
  const folder = folders
    .map((path) => new URL(path, import.meta.url))
    .find((url) => existsSync(new URL('index.html', url)));
  if (!folder) return undefined;
  const page = new URL('index.html', folder);
  const assets = new URL(ASSETS, folder);
  const names = readdirSync(assets).filter((name) => !name.endsWith('.br'));
  return {
    page: fileAt(page),
    etag: `W/"${hash('sha256', readFileSync(page), 'base64url').slice(0, 22)}"`,
    assets: new Map(names.map((name) => [name, fileAt(new URL(name, assets))])),
  };
}

/** For files that the build has not compressed. A higher quality takes much longer and saves little. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } };

function fileAt(url: URL): StudioFile {
  const plain = () => readFile(url);
  const read: Record<Encoding, () => Promise<Buffer>> = {
    br: () =>
      readFile(new URL(`${url.href}.br`)).catch(async () =>
        promisify(brotliCompress)(await plain(), BROTLI),
      ),
    gzip: async () => promisify(gzip)(await plain()),
    identity: plain,
  };
  const bodies = new Map<Encoding, Promise<Buffer>>();
  return {
    type: TYPES[url.href.slice(url.href.lastIndexOf('.') + 1)] ?? 'application/octet-stream',
    body(encoding) {
      const known = bodies.get(encoding);
      if (known) return known;
      const body = read[encoding]();
      bodies.set(encoding, body);
      // A failure is not kept: the file may be there after the next build.
      body.catch(() => bodies.delete(encoding));
      return body;
    },
  };
}
