/** How a command is called from where it was called: a script of this repository, or the npm package. */
export const commandLine = (script: string): string =>
  process.env['npm_lifecycle_event'] === script
    ? `npm run -s ${script} --`
    : `marketgraph ${script}`;

/** Whether somebody wants to read how a command is used. */
export const asksForHelp = (args: readonly string[]): boolean =>
  args.some((arg) => arg === '--help' || arg === '-h');
