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
  const earlier = byId('earlier');
  const later = byId('later');

  /** @param {string | undefined} month */
  function turnTo(month) {
    chosen = month;
    setBounds();
    onTurn(chosen ?? current);
  }

  /**
   * Counts from the month that was chosen last, whose report may still be on its way.
   * @param {HTMLElement} button @param {number} months
   */
  function turnBy(button, months) {
    if (!current || button.ariaDisabled === 'true') return;
    const month = monthAfter(chosen ?? current, months);
    history.pushState(null, '', `?month=${month}`);
    turnTo(month);
  }

  /** Returns to the current month, which the address does not name since it changes. */
  function forget() {
    chosen = undefined;
    history.replaceState(null, '', location.pathname);
  }

  /** `disabled` would take the focus from the button that led to the first or last month. */
  function setBounds() {
    if (!current) return;
    const month = chosen ?? current;
    later.ariaDisabled = String(month >= current);
    earlier.ariaDisabled = String(month <= monthAfter(current, -MONTHS));
  }

  earlier.addEventListener('click', () => turnBy(earlier, -1));
  later.addEventListener('click', () => turnBy(later, 1));
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
