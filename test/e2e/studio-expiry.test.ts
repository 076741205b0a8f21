import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { hasBrowser } from '../browser.ts';
import { connect } from '../harness.ts';
import { oneBrowser } from '../one-browser.ts';
import { cost, editor, price, run, setHidden, visit } from './studio-visit.ts';

/** What the Studio says about an answer that expires on the screen, or that was stopped before it arrived. */

/**
 * How long the gateway says that rates it has just fetched are fresh: in whole seconds, rounded down. It says 60 s if it
 * answers within the millisecond in which they came.
 */
const FRESH_MS = 59_000;

describe.skipIf(!hasBrowser)('in a real browser', () => {
  const browser = oneBrowser();

  const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

  /** Opens the Studio and fetches all rates for one unit; the test moves the browser's clock, too. */
  async function openRates() {
    const visited = await visit(browser(), { search: '#rates' });
    const { page } = visited;
    await page.clock.install();
    await run(page).click();
    await cost(page).getByText('Cost 1 FX unit').waitFor();
    return visited;
  }

  test('once an answer has expired, the price is that of a new one, and the expiry stays shown', async () => {
    const { page, sandbox, advance } = await openRates();
    await price(page).getByText('Costs nothing now').waitFor();
    // The gateway states whole seconds: the answer stays fresh for another fraction of one.
    advance(FRESH_MS);
    await page.clock.runFor(FRESH_MS);
    await cost(page).getByText('no longer fresh').waitFor();
    advance(2000);
    await page.clock.runFor(3000);
    await price(page).getByText('Asks the upstream').waitFor();
    await page.clock.fastForward(7_200_000);
    await cost(page).getByText('data 2 h old · no longer fresh').waitFor();
    expect(sandbox.spent().fx).toBe(1);
  });

  test('a question that is chosen in the history does not stay free forever', async () => {
    const { page, sandbox, advance } = await openRates();
    await page.getByRole('button', { name: 'New query' }).click();
    await page.getByRole('button', { name: 'History', exact: true }).click();
    await page.locator('#history-list button').click();
    await page.clock.runFor(1000);
    await price(page).getByText('Costs nothing now').waitFor();
    advance(FRESH_MS + 2000);
    await page.clock.runFor(15_000);
    await price(page).getByText('Asks the upstream').waitFor();
    expect(sandbox.spent().fx).toBe(1);
  });

  test('the lifetime stated for a paid answer is not what remains of the cached one', async () => {
    const { page, sandbox, advance } = await openRates();
    await price(page).getByText('Costs nothing now').waitFor();
    advance(FRESH_MS / 2);
    await run(page).click();
    await cost(page).getByText('Cost nothing').waitFor();
    advance(FRESH_MS);
    await page.clock.runFor(60_000);
    await price(page)
      .getByText(/Asking again within (59|60) s costs nothing/)
      .waitFor();
    expect(sandbox.spent().fx).toBe(1);
  });

  test('a double click runs a question, and does not stop it', async () => {
    const { page, sandbox } = await visit(browser(), { search: '#rates' });
    const release = sandbox.fault({ kind: 'hold' });
    await run(page).dblclick();
    await expect.poll(() => sandbox.requests().length).toBe(1);
    release();
    await cost(page).getByText('Cost 1 FX unit').waitFor();
  });

  test('a double click starts live updates, and does not stop them', async () => {
    const { page } = await visit(browser(), { search: '#live-rates' });
    await run(page).dblclick();
    await cost(page).getByText('1 update,').waitFor();
    expect(await button(page, 'Stop').count()).toBe(1);
  });

  /** Runs all rates while the upstream holds its answer back, and the browser's clock stands still. */
  async function holdRates() {
    const visited = await visit(browser(), { search: '#rates' });
    const { page, sandbox } = visited;
    await editor(page).waitFor();
    await price(page).getByText('Asks the upstream').waitFor();
    await page.clock.install();
    await page.clock.pauseAt(Date.now() + 10_000);
    const release = sandbox.fault({ kind: 'hold' });
    await run(page).click();
    await expect.poll(() => sandbox.requests().length).toBe(1);
    return { ...visited, release };
  }

  test('an impatient second click does not throw away an answer that is paid for', async () => {
    const { page, sandbox, release } = await holdRates();
    await page.clock.runFor(900);
    await button(page, 'Running… 1 FX unit').click();
    release();
    await cost(page).getByText('Cost 1 FX unit').waitFor();
    await page.getByRole('cell', { name: 'USDTRY' }).waitFor();
    expect(sandbox.spent().fx).toBe(1);
  });

  test('a question is stopped by a button that says so, a second after the last start', async () => {
    const { page, release } = await holdRates();
    const stop = button(page, 'Stop');
    await page.clock.runFor(1000);
    await stop.click();
    await cost(page).getByText('Stopped').waitFor();
    await run(page).getByText('Run', { exact: true }).waitFor();
    await run(page).click();
    await page.clock.runFor(900);
    await editor(page).click();
    // Too early: it would throw away an answer that is paid for.
    await page.keyboard.press('Control+Enter');
    await page.clock.runFor(100);
    await stop.waitFor();
    await page.keyboard.press('Control+Enter');
    await run(page).getByText('Running…').waitFor();
    await page.clock.runFor(900);
    expect(await stop.count()).toBe(0);
    await page.clock.runFor(100);
    await stop.waitFor();
    release();
    await page.getByRole('cell', { name: 'USDTRY' }).waitFor();
    await run(page).getByText('Run again', { exact: true }).waitFor();
  });

  test('what is over before it could be stopped does not offer it later', async () => {
    const { page, release } = await holdRates();
    release();
    const again = run(page).getByText('Run again', { exact: true });
    await again.waitFor();
    await page.clock.runFor(2000);
    expect(await again.count()).toBe(1);
  });

  test.each([
    ['a question', false],
    ['a question before the page is hidden for a while', true],
  ])(
    'stopping %s shows that it is paid for, and its price once the answer has arrived',
    async (_name, isHidden) => {
      const { page, sandbox, url } = await visit(browser(), { search: '#rates' });
      await page.clock.install();
      const release = sandbox.fault({ kind: 'hold' });
      await run(page).click();
      await expect.poll(() => sandbox.requests().length).toBe(1);
      await page.clock.runFor(1000);
      await button(page, 'Stop').click();
      await cost(page).getByText('Stopped').waitFor();
      await setHidden(page, isHidden);
      await page.clock.runFor(1000);
      await setHidden(page, false);
      await cost(page).getByText('999 of 1,000 FX units left this month').waitFor();
      release();
      await connect(url).get('{ fxRates { nodes { pair } } }');
      await page.clock.runFor(5000);
      await price(page).getByText('Costs nothing now').waitFor();
    },
  );
});
