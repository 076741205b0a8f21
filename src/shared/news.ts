/**
 * Messages that replicas, or the workers of one gateway, send to each other at once. A process that is not connected at
 * that moment never receives them.
 */
export interface News {
  publish(topic: string, text: string): void;
  /** Calls `listener` with the messages of any of them, this one included. */
  listen(topic: string, listener: (text: string) => void): void;
}
