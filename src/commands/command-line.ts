/** How a command is called from where it was called: a script of this repository, or the npm package. */
export const commandLine = (script: string): string =>
  process.env['npm_lifecycle_event'] === script
    ? `npm run -s ${script} --`
    : `marketgraph ${script}`;
