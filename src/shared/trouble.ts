/** Callbacks for trouble that lasts. */
export interface OnTrouble {
  /** Called once, with the reason. */
  begins(reason: string): void;
  /** Called if it goes on for another reason, once for each. */
  goesOn?(reason: string): void;
  /** Called when it is over. */
  ends(): void;
}
