/** Command line arguments. */

/** Whether the arguments ask how a command is used. */
export const asksForHelp = (args: readonly string[]): boolean =>
  args.some((arg) => arg === '--help' || arg === '-h');

/** Prints `usage` and exits if a command that takes no arguments is given any: they would have no effect. */
export function expectNoArguments(usage: string): void {
  const args = process.argv.slice(2);
  if (args.length === 0) return;
  const isHelp = asksForHelp(args);
  (isHelp ? process.stdout : process.stderr).write(`${usage}\n`);
  process.exit(isHelp ? 0 : 2);
}
