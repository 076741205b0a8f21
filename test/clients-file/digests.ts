/** The digest of the n-th key, as it is written in the file. */
export const written = (n: number) => `sha256:${hex(n)}`;

/** The same as the reader returns it. */
export const hex = (n: number) => n.toString(16).padStart(64, '0');
