/** What is typed behind a command. */

/** Whether somebody wants to read how a command is used. */
export const asksForHelp = (args: readonly string[]): boolean =>
  args.some((arg) => arg === '--help' || arg === '-h');

/** Ends where anything but `--help` follows a command that takes no arguments: nothing would come of it. */
export function takesNoArguments(usage: string): void {
  const args = process.argv.slice(2);
  if (args.length === 0) return;
  const isHelp = asksForHelp(args);
  (isHelp ? process.stdout : process.stderr).write(`${usage}\n`);
  process.exit(isHelp ? 0 : 2);
}
