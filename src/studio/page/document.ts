/** What the editor holds, and what the gateway answers. */

export interface Draft {
  query: string;
  /** As JSON; may be empty. */
  variables: string;
  /** Which operation to run if the text has several. */
  operationName?: string | undefined;
}

/** A question with a name, as the list on the left shows it. */
export interface Question extends Draft {
  id: string;
  name: string;
}

export interface Group {
  name: string;
  questions: Question[];
}

/** Units by meter, as the gateway names them. */
export type Units = Readonly<Record<MeterName, number>>;
export type MeterName = 'fx' | 'macro' | 'credits';
export const METERS: readonly MeterName[] = ['fx', 'macro', 'credits'];

interface MeterState {
  used: number;
  usedThisMonth: number;
  limit: number | null;
  remaining: number | null;
}

/** `extensions.usage` of an answer. */
export interface Usage extends Readonly<Record<MeterName, MeterState>> {
  upstream: Readonly<Record<'requests' | 'cacheHits' | 'coalesced' | 'stale' | 'failed', number>>;
  /** Present if clients have names. */
  client?: { budgets: readonly Budget[] };
  estimate?: Estimate;
}

/** What a client may spend of a meter, and has spent. */
export interface Budget {
  /** As the schema names it: `FX`. */
  meter: string;
  window: 'DAY' | 'MONTH';
  limit: number;
  used: number;
  resetsAt: string;
}

/** What an operation would spend. */
export interface Estimate {
  least: Units;
  most: Units;
}

export interface Problem {
  message: string;
  path?: readonly unknown[];
  locations?: readonly { line: number }[];
  /** `count`: how many items of a list this one error stands for. */
  extensions?: { code?: string; count?: number; resetsAt?: string };
}

/** A GraphQL response, as it came. */
export interface Answer {
  data?: unknown;
  errors?: readonly Problem[];
  extensions?: {
    usage?: Usage;
    sandbox?: boolean;
    warnings?: readonly unknown[];
  };
}
