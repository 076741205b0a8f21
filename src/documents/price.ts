import type { GraphQLSchema } from 'graphql';
import { METERS, type Meter, perMeter } from '../meters.ts';
import type { ListedOperation } from './manifest.ts';
import type { DescribePrice } from './report.ts';
import { sampleVariables } from './samples.ts';

/**
 * Dry-runs an operation on a gateway with an empty cache, and resolves with the most that it can spend;
 * undefined if that is not known, as for a subscription or an operation with a field that is refused.
 */
export type DryRun = (
  query: string,
  variables: object,
) => Promise<Record<Meter, number> | undefined>;

/**
 * Prices operations by dry runs with sample variables: for each meter the most that any of them costs. The least is 0:
 * everything may be cached.
 */
export function createDescribePrice(
  schema: GraphQLSchema,
  today: string,
  dryRun: DryRun,
): DescribePrice {
  return async ({ body }: ListedOperation) => {
    const prices: Record<Meter, number>[] = [];
    for (const variables of sampleVariables(body, schema, today)) {
      const price = await dryRun(body, variables);
      if (price) prices.push(price);
    }
    if (prices.length === 0) return 'no price';
    const most = perMeter((meter) => Math.max(...prices.map((price) => price[meter])));
    return METERS.map((meter) => `${meter} 0–${most[meter]}`).join('  ');
  };
}
