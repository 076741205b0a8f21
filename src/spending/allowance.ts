/** What is known of a meter's account now. */
export interface Allowance {
  /** Units spent by us (all replicas) this month. */
  used: number;
  /** What can still be spent; null where nobody knows (no limit configured, no balance stated): then nothing is stretched. */
  left: number | null;
  /** Units that somebody else has spent from the same allowance this month, as far as balances show. */
  elsewhere: number;
  /** By how much the stated balance is more than our own limit leaves: others may spend that without harm. */
  spare: number;
  /** Whether `left` is what a balance says, and not what our own limit leaves. */
  isStated: boolean;
}
