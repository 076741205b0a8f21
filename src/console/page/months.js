import { byId, setText } from './dom.js';
import { monthAfter, monthName, monthOf } from './format.js';

// Which month is shown. The address names it, so that a reload, Back or a copied address leads to the same month.

/** @typedef {import('../report.ts').Report} Report */

/** For how many months before the current one units are kept. */
const MONTHS = 12;

/** @param {(month: string | undefined) => void} onTurn Called with the month to show, if it is known. */
export function createMonths(onTurn) {
  /** YYYY-MM; undefined: the current month. */
  let chosen = inAddress();
  /** YYYY-MM; undefined until the first report has said what month it is. @type {string | undefined} */
  let current;

  /** @param {string | undefined} month */
  function turnTo(month) {
    chosen = month;
    setBounds();
    onTurn(chosen ?? current);
  }

  /** Counts from the month that was chosen last, whose report may still be on its way. @param {number} months */
  function turnBy(months) {
    if (!current) return;
    const month = monthAfter(chosen ?? current, months);
    history.pushState(null, '', `?month=${month}`);
    turnTo(month);
  }

  /** Returns to the current month, which the address does not name since it changes. */
  function forget() {
    chosen = undefined;
    history.replaceState(null, '', location.pathname);
  }

  function setBounds() {
    if (!current) return;
    const month = chosen ?? current;
    byId('later').toggleAttribute('disabled', month >= current);
    byId('earlier').toggleAttribute('disabled', month <= monthAfter(current, -MONTHS));
  }

  byId('earlier').addEventListener('click', () => turnBy(-1));
  byId('later').addEventListener('click', () => turnBy(1));
  addEventListener('popstate', () => turnTo(inAddress()));

  return {
    chosen: () => chosen,
    forget,
    /** @param {Report} report */
    draw({ at, month }) {
      current = monthOf(at, month.timezone);
      if (month.isCurrent && chosen) forget();
      setText(byId('month'), monthName(month.name));
      setBounds();
    },
  };
}

const inAddress = () => new URLSearchParams(location.search).get('month') ?? undefined;
