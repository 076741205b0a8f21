import { byId } from './dom.ts';

/** The button that runs what is in the editor, and stops what runs for long. */

/**
 * How long a question runs before a click stops it. Until then clicks do nothing: an impatient one would throw away an
 * answer that is paid for.
 */
const STOPPABLE_MS = 1000;

type Word = 'Run' | 'Running…' | 'Stop' | 'Run again';

export function createRunButton(onRun: () => void, onStop: () => void) {
  const [button, label, price] = [byId('run'), byId('run-word'), byId('run-cost')];
  // Not read back from the page: a browser that translates it changes the label.
  let word: Word = 'Run';
  let timer: number | undefined;

  function show(next: Word): void {
    clearTimeout(timer);
    word = next;
    label.textContent = word;
    // Neither belongs to stopping: the price is that of running it, and so is the shortcut.
    price.hidden = word === 'Stop';
    button.title = word === 'Stop' ? '' : 'Ctrl+Enter';
  }

  button.addEventListener('click', ({ detail }) => {
    // The second click of a double click would stop live updates that the first has started.
    if (detail > 1 || word === 'Running…') return;
    if (word === 'Stop') onStop();
    else onRun();
  });

  // Keys that are held down run it once.
  const ignoreRepeats = (event: KeyboardEvent) => {
    const isShortcut = event.key === 'Enter' && (event.ctrlKey || event.metaKey);
    if (!event.repeat || !isShortcut) return;
    event.preventDefault();
    event.stopImmediatePropagation();
  };
  document.addEventListener('keydown', ignoreRepeats, { capture: true });

  return {
    show,
    /** Whether a question has run for less than a second: until then, the shortcut does nothing either. */
    isStarting: () => word === 'Running…',
    /** Live updates can be stopped at once: they are never over by themselves. */
    start(isLive: boolean): void {
      show(isLive ? 'Stop' : 'Running…');
      if (!isLive) timer = window.setTimeout(show, STOPPABLE_MS, 'Stop');
    },
    end(): void {
      if (word !== 'Run again') show('Run');
    },
  };
}
