/**
 * GraphiQL calls its search by the keys that lead there, and its icons by names that the build has shortened. What
 * the icons say stands beside each of them in words.
 */
export function nameDocs(docs: HTMLElement): void {
  const name = () => {
    docs.querySelector('[role="combobox"]')?.setAttribute('aria-label', 'Search the documentation');
    for (const icon of docs.querySelectorAll('svg:not([aria-hidden])')) {
      icon.setAttribute('aria-hidden', 'true');
      icon.querySelector('title')?.replaceChildren();
    }
  };
  new MutationObserver(name).observe(docs, { childList: true, subtree: true });
}
