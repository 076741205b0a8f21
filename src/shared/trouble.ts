/** Who is told of a trouble that lasts. */
export interface OnTrouble {
  /** Called once, with the reason. */
  begins(reason: string): void;
  /** It is over. */
  ends(): void;
}
