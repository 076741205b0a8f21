import type { Browser } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { hasBrowser } from '../browser.ts';
import { oneBrowser } from '../one-browser.ts';
import { run, SANDBOX, search, visit } from './studio-visit.ts';

/** What a subscription sends one event at a time: none is lost, and none disturbs who reads the others. */

const QUERY = 'subscription { calendarEventReleased { id event actual } }';
const LONG =
  'An event whose name needs more than eighty characters, so that it is opened by a click';
const released = (id: number, actual = id) => ({
  data: { calendarEventReleased: { id, event: `${id}: ${LONG}`, actual } },
});

/** Opens the question in a page that gets its live updates from `send`. */
async function listen(browser: Browser) {
  const { page, url } = await visit(browser, { env: SANDBOX });
  await page.addInitScript(() => {
    const ask = globalThis.fetch;
    globalThis.fetch = (address, init) => {
      const isLive = String(new Headers(init?.headers).get('accept')).includes('event-stream');
      if (!isLive) return ask(address, init);
      const { readable, writable } = new TransformStream<string, string>();
      const stream = writable.getWriter();
      init?.signal?.addEventListener('abort', () => void stream.abort(init.signal?.reason));
      Object.assign(globalThis, { stream });
      const headers = { 'content-type': 'text/event-stream' };
      return Promise.resolve(
        new Response(readable.pipeThrough(new TextEncoderStream()), { headers }),
      );
    };
  });
  await page.goto(url + search({ query: QUERY }));
  await page.waitForFunction(() => 'stream' in globalThis);
  const send = (...answers: object[]) =>
    page.evaluate(
      (text) =>
        (globalThis as unknown as { stream: WritableStreamDefaultWriter }).stream.write(text),
      answers.map((answer) => `event: next\ndata: ${JSON.stringify(answer)}\n\n`).join(''),
    );
  const ids = () => page.locator('#view tbody tr td:first-child').allTextContents();
  const actuals = () => page.locator('#view tbody tr td:nth-child(2)').allTextContents();
  return { page, send, ids, actuals };
}

describe.skipIf(!hasBrowser)('in a real browser', () => {
  const browser = oneBrowser();

  test('events that come at once are all shown, the latest first, until it is run anew', async () => {
    const { page, send, actuals } = await listen(browser());
    await send(released(1), released(2), released(3));
    await expect.poll(actuals).toEqual(['3', '2', '1']);
    await send(released(4));
    await expect.poll(actuals).toEqual(['4', '3', '2', '1']);
    await page.getByRole('button', { name: 'JSON' }).click();
    expect(await page.locator('.json-view pre').first().textContent()).not.toContain('"actual": 3');
    await page.getByRole('button', { name: 'Stop' }).click();
    await run(page).click();
    await page.getByRole('button', { name: 'Table' }).click();
    expect(await actuals()).toEqual(['4', '3', '2', '1']);
    await send(released(5));
    await expect.poll(actuals).toEqual(['5']);
  });

  test('a new event closes no row, and leaves focus and selection where they are', async () => {
    const { page, send, actuals } = await listen(browser());
    await send(released(1));
    const long = page.getByRole('button', { name: `1: ${LONG}` });
    await long.click();
    await long.focus();
    await page.locator('#view tbody td:nth-child(2)').selectText();
    await send(released(2));
    await expect.poll(actuals).toEqual(['2', '1']);
    expect(await long.getAttribute('aria-expanded')).toBe('true');
    expect(await long.evaluate((one) => one === document.activeElement)).toBe(true);
    expect(await page.evaluate(() => String(getSelection()))).toBe('1');
  });

  test('the same trouble is announced once', async () => {
    const { page, send } = await listen(browser());
    const troubled = (id: number) => ({ ...released(id), errors: [{ message: 'It rains.' }] });
    await send(troubled(1));
    const item = page.locator('#problems li');
    await item.waitFor();
    await item.evaluate((one) => one.setAttribute('data-known', ''));
    await send(troubled(2));
    await page.getByText('2 updates').waitFor();
    expect(await item.getAttribute('data-known')).toBe('');
  });
});
