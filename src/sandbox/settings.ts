/** Settings that may change while the sandbox runs; null means unlimited. */
export interface Settings {
  fxQuota: number | null;
  macroQuota: number | null;
  credits: number | null;
  requestsPerSecond: number | null;
  latencyMs: number;
  /** How fast the body of an answer is sent, on each connection. */
  bytesPerSecond: number | null;
  legislationPageSize: number | null;
}

/** The settings of a sandbox that refuses nothing. */
export const UNLIMITED: Settings = {
  fxQuota: null,
  macroQuota: null,
  credits: null,
  requestsPerSecond: null,
  latencyMs: 0,
  bytesPerSecond: null,
  legislationPageSize: null,
};
