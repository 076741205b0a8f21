import { dryRun, ENDPOINT, hasKey } from './client.ts';
import { byId, choice } from './dom.ts';
import type { Draft } from './document.ts';
import { BY_ID, LINK, type Way, waysToShare } from './share.ts';

/** The menu that offers the operation in the editor as a link or as code, to be copied. */

type Headers = Readonly<Record<string, string>>;

/** Maximum length of a link: servers accept 16 kB for a request's line and headers, and the rest needs little. */
const MAX_LINK_LENGTH = 15_000;

export function createShareMenu(read: () => Draft, headers: () => Headers): void {
  const [menu, note] = [byId('share'), byId('share-note')];
  const code = byId('share-code', HTMLTextAreaElement);
  const copy = byId('share-copy', HTMLButtonElement);
  let way = LINK;

  /** Offers the ways to share the operation that is in the editor now. */
  function open(): void {
    const ways = waysToShare(read());
    const named = (name: string): Way => ways.find((one) => one.name === name) ?? LINK;
    way = named(way.name);
    const names = ways.map(({ name }) => [name, name] as const);
    choice(byId('share-kinds'), names, way.name, (chosen) => {
      way = named(chosen);
      void draw();
    });
    void draw();
  }

  let draws = 0;
  async function draw(): Promise<void> {
    const turn = (draws += 1);
    // Until it is written, nothing of the operation before can be copied.
    refuse('');
    if (!isJson(read().variables)) return refuse('The variables are not valid JSON.');
    const written = await write().catch(() => undefined);
    // Another way was chosen before the gateway answered.
    if (turn !== draws) return;
    if (!written) return refuse('The gateway does not answer.');
    code.value = written.text;
    copy.disabled = false;
    note.textContent = written.note;
    if (way === LINK && code.value.length > MAX_LINK_LENGTH)
      refuse('Too long for a link: servers would refuse it. Use one of the other ways.');
  }

  function refuse(reason: string): void {
    code.value = '';
    copy.disabled = true;
    note.textContent = reason;
  }

  async function write(): Promise<{ text: string; note: string }> {
    const [shared, sent, chosen] = [read(), headers(), way];
    const hash = await hashOf(shared.query);
    const known = chosen === BY_ID && hash ? await register(shared, hash, sent) : '';
    const options = { url: location.origin + ENDPOINT, hasKey: hasKey(sent), hash };
    return { text: chosen.write(shared, options), note: known };
  }

  menu.addEventListener('toggle', (event) => {
    if (event.newState === 'open') open();
  });
  copy.addEventListener('click', () => {
    code.select();
    // Not every page may write to the clipboard; the selected text can be copied by hand.
    const copied = navigator.clipboard?.writeText(code.value) ?? Promise.reject(new Error('none'));
    copied.then(
      () => (note.textContent = 'Copied.'),
      () => (note.textContent = 'Copy the selected text.'),
    );
  });
}

/** Whether it can be sent as variables; no text stands for none. */
function isJson(variables: string): boolean {
  try {
    JSON.parse(variables.trim() || '{}');
    return true;
  } catch {
    return false;
  }
}

/** Tells the gateway the text that belongs to the id, by a dry run, which costs nothing. Returns a note to show. */
async function register(
  { query, variables, operationName }: Draft,
  hash: string,
  headers: Headers,
) {
  const extensions = { persistedQuery: { version: 1, sha256Hash: hash } };
  const given = variables.trim() === '' ? undefined : (JSON.parse(variables) as unknown);
  const sent = { query, variables: given, operationName, extensions };
  const { estimate, answer } = await dryRun(sent, headers);
  const refusal = estimate ? undefined : answer.errors?.[0]?.message;
  return refusal ?? 'The gateway knows this id now, until it restarts or forgets it.';
}

/** SHA-256 in hexadecimal digits; undefined unless the page was loaded over HTTPS or from this machine. */
async function hashOf(text: string): Promise<string | undefined> {
  if (!globalThis.crypto?.subtle) return undefined;
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
