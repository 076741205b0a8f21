import { byId } from './dom.ts';

/** What can be done to the question that is shown: its changes can be undone, and an own one can be removed. */

interface Session {
  isChanged(): boolean;
  isOwn(): boolean;
  /** Both return the id of the question to show next. */
  reset(): string;
  remove(): string;
}

export function createQuestionButtons(session: Session, choose: (id: string) => void) {
  const [undo, remove] = [byId('reset'), byId('remove')];

  function onClick(button: HTMLElement, act: () => string): void {
    button.addEventListener('click', () => {
      choose(act());
      // The button is hidden now: without this, the focus would return to the top of the page.
      byId('ask').focus();
    });
  }
  onClick(undo, () => session.reset());
  onClick(remove, () => session.remove());

  return {
    draw(): void {
      undo.hidden = !session.isChanged();
      remove.hidden = !session.isOwn();
    },
  };
}
