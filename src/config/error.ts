/** A problem with the environment, described in one line that names the variable. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}
