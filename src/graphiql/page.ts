import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { readAssets } from './assets.ts';
import { tabsOf } from './tabs.ts';

export type Encoding = 'br' | 'gzip' | 'identity';

/** The GraphiQL page, ready to be sent. */
export interface Page {
  etag: string;
  body(encoding: Encoding): Promise<Buffer>;
}

/** GraphiQL itself, its editor and workers all stand in the page: it needs no other host. */
async function renderPage(): Promise<string> {
  const { renderGraphiQL } = await import('@graphql-yoga/render-graphiql');
  const { operations, barScript, pageStyle } = readAssets();
  const tabs = tabsOf(operations);
  const html = renderGraphiQL({
    title: 'Marketgraph',
    logo: '<span></span>',
    defaultTabs: tabs,
    defaultEditorToolsVisibility: 'variables',
  });
  const scripts = `<script>${seed(tabs[0]?.variables ?? '')}${barScript}</script>`;
  const head = `<style>${pageStyle}</style>${scripts}</head>`;
  return html.trimStart().replace('</head>', () => head);
}

/**
 * GraphiQL takes the variables of the tab that it opens first from its store: those of a link that
 * somebody shares, or those of the first ready-made operation.
 */
function seed(variables: string): string {
  const text = JSON.stringify(variables).replaceAll('<', String.raw`\u003c`);
  return `(() => {
    const shared = new URLSearchParams(location.search).get('variables');
    const isFirst = !localStorage.getItem('graphiql:tabState') && !location.search;
    const variables = shared ?? (isFirst ? ${text} : null);
    if (variables !== null) localStorage.setItem('graphiql:variables', variables);
  })();`;
}

const brotli = promisify(brotliCompress);
/** The page is 9 MB: more effort than this takes seconds and saves little. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } };

/** Renders once, and compresses once for each encoding that is asked for. */
export async function createPage(): Promise<Page> {
  const plain = Buffer.from(await renderPage());
  const compress: Record<Encoding, () => Promise<Buffer>> = {
    br: () => brotli(plain, BROTLI),
    gzip: () => promisify(gzip)(plain),
    identity: () => Promise.resolve(plain),
  };
  const bodies = new Map<Encoding, Promise<Buffer>>();
  return {
    etag: `W/"${createHash('sha256').update(plain).digest('base64url').slice(0, 22)}"`,
    body(encoding) {
      const body = bodies.get(encoding) ?? compress[encoding]();
      bodies.set(encoding, body);
      return body;
    },
  };
}
