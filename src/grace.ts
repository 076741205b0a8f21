/** How long requests may take to finish after a signal, our clients' and our own upstream together, in milliseconds. */
export const GRACE_MS = 3000;
