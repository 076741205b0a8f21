import { type Budget, type Estimate, METERS, type MeterName, type Usage } from './document.ts';
import { dateAndTime } from './format.ts';
import { NAMES, numbers } from './words.ts';

/** What may still be spent: this month by all clients, and by the asking client within its budgets. */

type Danger = 'none' | 'near' | 'over';

export interface Allowance {
  text: string;
  danger: Danger;
}

/** What is left of meters that have a limit, run low or are spent by this operation, and of the client's budgets. */
export function allowances(usage: Usage, estimate: Estimate | undefined): Allowance[] {
  return METERS.flatMap((meter) => {
    const wanted = estimate?.most[meter] ?? 0;
    const budgets = budgetsOf(usage, meter).map((budget) => ofBudget(budget, meter, wanted));
    return [...ofMonth(usage, meter, wanted), ...budgets];
  });
}

/** Whether an operation may need more than is left, so that a part of it would be refused. */
export const mayExceed = (usage: Usage, { most }: Estimate): boolean =>
  METERS.some((meter) => {
    const left = [leftOfMonth(usage, meter) ?? Infinity, ...budgetsOf(usage, meter).map(leftOf)];
    return most[meter] > 0 && most[meter] >= Math.min(...left);
  });

/** Whether the month of a meter or a budget is used up: live updates that need it wait. */
export const isUsedUp = (usage: Usage): boolean =>
  allowances(usage, undefined).some(({ danger }) => danger === 'over');

const budgetsOf = ({ client }: Usage, meter: MeterName) =>
  (client?.budgets ?? []).filter((budget) => budget.meter.toLowerCase() === meter);

const leftOf = ({ limit, used }: Budget) => Math.max(0, limit - used);

/** What is left of the month; undefined if that is not known. The operator's limit may be lower than the plan's. */
function leftOfMonth(usage: Usage, meter: MeterName): number | undefined {
  const { limit, usedThisMonth, remaining } = usage[meter];
  if (remaining === null) return undefined;
  return Math.min(remaining, Math.max(0, (limit ?? Infinity) - usedThisMonth));
}

function ofMonth(usage: Usage, meter: MeterName, wanted: number): Allowance[] {
  const left = leftOfMonth(usage, meter);
  if (left === undefined) return [];
  const { limit, used } = usage[meter];
  const danger = dangerOf(left, limit, wanted);
  if (limit === null && wanted === 0 && used === 0 && danger === 'none') return [];
  const of = limit === null ? '' : ` of ${numbers.format(limit)}`;
  return [
    allowanceOf(`${numbers.format(left)}${of} ${NAMES[meter][1]} left this month`, danger, wanted),
  ];
}

function ofBudget(budget: Budget, meter: MeterName, wanted: number): Allowance {
  const { limit, window, resetsAt } = budget;
  const left = leftOf(budget);
  const during = window === 'DAY' ? 'today' : 'this month';
  const more = left === 0 ? `, more from ${dateAndTime(Date.parse(resetsAt))}` : '';
  const text = `${numbers.format(left)} of your ${numbers.format(limit)} ${NAMES[meter][1]} left ${during}${more}`;
  return allowanceOf(text, dangerOf(left, limit, wanted), wanted);
}

const allowanceOf = (text: string, danger: Danger, wanted: number): Allowance => ({
  text: danger === 'over' && wanted > 0 ? `${text}: this uses all of it, and may need more` : text,
  danger,
});

function dangerOf(left: number, limit: number | null, wanted: number): Danger {
  // A dry run never estimates more than is left: if it estimates all of that, the operation may need more.
  if (left === 0 || (wanted > 0 && wanted >= left)) return 'over';
  if (limit !== null ? left < limit / 10 : left < 100) return 'near';
  return wanted * 4 > left ? 'near' : 'none';
}
