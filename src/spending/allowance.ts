/** What is known of a meter's account now. */
export interface Allowance {
  /** Units spent by the gateway, all replicas together, this month. */
  used: number;
  /** Units left to spend; null if unknown (no limit configured, no balance stated): then nothing is stretched. */
  left: number | null;
  /** Units that somebody else has spent from the same allowance this month, as far as balances show. */
  elsewhere: number;
  /** By how much the stated balance exceeds what the configured limit leaves: others may spend that without harm. */
  spare: number;
  /** Whether `left` is a stated balance, and not what the configured limit leaves. */
  isStated: boolean;
}
