/**
 * Labels GraphiQL's documentation for screen readers. GraphiQL names its search after its keyboard shortcut, and its
 * icons by names that the build has minified; icons are hidden, since the text beside each says the same.
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
