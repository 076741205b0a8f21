/**
 * The bar under GraphiQL: what the last operation has spent and what is left of each meter, how
 * long its answer stays fresh, and what the operation in the editor would cost. A plain script in
 * the page, before GraphiQL: it reads what passes through fetch, and what GraphiQL keeps of its tabs.
 */
(() => {
  const METERS = { fx: 'FX', macro: 'Macro', credits: 'Credits' };
  const TABS = 'graphiql:tabState';
  const PAUSE_MS = 400;

  const send = window.fetch.bind(window);
  /** @typedef {Record<'fx' | 'macro' | 'credits', number>} Units */
  /** @type {{ usage: object | null, hasRun: boolean, freshUntil: number | null, estimate: { least: Units, most: Units } | null }} */
  const state = { usage: null, hasRun: false, freshUntil: null, estimate: null };

  // ---------------------------------------------------------------- what has been spent

  const DRY_RUN = 'x-usage-dry-run';
  const isForSchema = (body) => body.includes('IntrospectionQuery');

  /** The schema costs nothing, and a dry run of it would show none: no documentation, no completion. */
  function inEarnest(init) {
    const headers = new Headers(init.headers);
    headers.delete(DRY_RUN);
    return { ...init, headers };
  }

  window.fetch = async (input, init) => {
    const body = typeof init?.body === 'string' ? init.body : '';
    const response = await send(input, isForSchema(body) ? inEarnest(init) : init);
    if (isJson(response)) void note(response.clone(), body);
    return response;
  };

  const isJson = (response) => /json/.test(response.headers.get('content-type') ?? '');

  async function note(response, request) {
    const answer = await response.json().catch(() => null);
    const usage = answer?.extensions?.usage;
    if (!usage) return;
    state.usage = usage;
    // GraphiQL's own question for the schema tells what is left, but nobody has asked for it.
    if (isForSchema(request)) return render();
    const maxAge = /max-age=(\d+)/.exec(response.headers.get('cache-control') ?? '');
    state.hasRun = true;
    state.freshUntil = maxAge ? Date.now() + Number(maxAge[1]) * 1000 : null;
    render();
    planEstimate();
  }

  // ---------------------------------------------------------------- what it would cost

  let tabs = localStorage.getItem(TABS);
  let timer;
  let running;
  let isSupported = true;

  const { setItem } = Storage.prototype;
  Storage.prototype.setItem = function store(key, value) {
    setItem.call(this, key, value);
    if (key !== TABS || value === tabs) return;
    tabs = value;
    planEstimate();
  };

  function planEstimate() {
    clearTimeout(timer);
    running?.abort();
    if (isSupported) timer = setTimeout(() => void estimate(), PAUSE_MS);
  }

  async function estimate() {
    running = new AbortController();
    const { signal } = running;
    const found = await dryRun(currentOperation(), signal).catch(() => null);
    if (signal.aborted) return;
    state.estimate = found;
    render();
  }

  /** Only what could run: the editor's text is mostly half written. */
  function currentOperation() {
    try {
      const { tabs: all, activeTabIndex } = JSON.parse(tabs);
      const { query, variables, operationName } = all[activeTabIndex];
      if (!query?.trim() || /^\s*subscription\b/m.test(query)) return null;
      return { query, operationName, variables: JSON.parse(variables?.trim() || '{}') };
    } catch {
      return null;
    }
  }

  async function dryRun(operation, signal) {
    if (!operation) return null;
    const response = await send(location.pathname, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json',
        [DRY_RUN]: '1',
      },
      body: JSON.stringify(operation),
      signal,
    });
    const { data, extensions } = await response.json();
    // An answer with data has been paid for: this server knows no dry runs.
    if (data) isSupported = false;
    return extensions?.usage?.estimate ?? null;
  }

  // ---------------------------------------------------------------- the bar itself

  const bar = document.createElement('footer');
  bar.className = 'graphiql-container usage-bar';
  bar.setAttribute('aria-label', 'What operations cost');

  function element(name, className, ...children) {
    const made = document.createElement(name);
    if (className) made.className = className;
    made.append(...children);
    return made;
  }

  function meter([name, label]) {
    const { used, remaining } = state.usage[name];
    const parts = [element('b', '', label)];
    if (state.hasRun) parts.push(element('span', used > 0 ? 'spent' : '', ` ${used} spent`));
    if (remaining !== null) parts.push(element('small', '', ` ${remaining.toLocaleString()} left`));
    const made = element('span', `meter ${name}`, ...parts);
    made.title = `${state.usage[name].usedThisMonth.toLocaleString()} this month`;
    return made;
  }

  const count = (n, one, many = one) => `${n} ${n === 1 ? one : many}`;

  function upstream() {
    const { requests, cacheHits, coalesced, stale, failed } = state.usage.upstream;
    const parts = [
      count(requests, 'request', 'requests'),
      count(cacheHits, 'cache hit', 'cache hits'),
    ];
    if (coalesced > 0) parts.push(`${coalesced} shared`);
    const made = element('span', 'upstream', parts.join(' · '));
    for (const [word, n] of Object.entries({ stale, failed }))
      if (n > 0) made.append(' · ', element('span', 'bad', `${n} ${word}`));
    return made;
  }

  function freshness() {
    if (state.freshUntil === null) return element('span', 'freshness');
    const seconds = Math.ceil((state.freshUntil - Date.now()) / 1000);
    if (seconds <= 0) return element('span', 'freshness', 'no longer fresh');
    const left = seconds > 120 ? `${Math.round(seconds / 60)} min` : `${seconds} s`;
    return element('span', 'freshness', `fresh for ${left}`);
  }

  function price() {
    if (!state.estimate) return element('span', 'estimate');
    const { least, most } = state.estimate;
    const parts = Object.entries(METERS)
      .filter(([name]) => most[name] > 0)
      .map(([name, label]) => {
        const range = least[name] === most[name] ? '' : `${least[name]}–`;
        return `${label} ${range}${most[name]}`;
      });
    const text = parts.length > 0 ? parts.join(' · ') : 'nothing';
    return element('span', 'estimate', element('small', '', 'Would cost '), element('b', '', text));
  }

  function render() {
    const parts = [];
    if (state.usage) parts.push(...Object.entries(METERS).map(meter));
    if (state.hasRun) parts.push(upstream(), freshness());
    bar.replaceChildren(...parts, price());
  }

  document.addEventListener('DOMContentLoaded', () => {
    document.body.append(bar);
    planEstimate();
  });
  // Freshness runs down.
  setInterval(() => bar.querySelector('.freshness')?.replaceWith(freshness()), 1000);
})();
