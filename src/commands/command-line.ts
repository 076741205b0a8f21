/** How to call a command the way this one was called: as a script of this repository, or through the npm package. */
export const commandLine = (script: string): string =>
  process.env['npm_lifecycle_event'] === script
    ? `npm run -s ${script} --`
    : `marketgraph ${script}`;

/** Ends the process, without an error, once nobody reads its output any more, as with `| head`. */
export function endWithReader(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    process.exit(0);
  });
}
