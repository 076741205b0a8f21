/**
 * What replicas, or the workers of one gateway, tell each other at once. A process that is not connected at that moment
 * never hears of it.
 */
export interface News {
  tell(topic: string, text: string): void;
  /** Calls `listener` with what any of them tells, this one included. */
  listen(topic: string, listener: (text: string) => void): void;
}
