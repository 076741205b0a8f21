/** How a command is called from where it was called: a script of this repository, or the npm package. */
export const commandLine = (script: string): string =>
  process.env['npm_lifecycle_event'] === script
    ? `npm run -s ${script} --`
    : `marketgraph ${script}`;

/** Ends the process where nobody reads its output any more, as `| head` does: that is no mistake. */
export function endWithReader(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    process.exit(0);
  });
}
