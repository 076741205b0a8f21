/** Section 2 of the spec as zod schemas, strict, read independently of the sandbox's own types. */
import { z } from 'zod';

const date = z.iso.date();
const dateTime = z.iso.datetime({ offset: true });
const nonEmpty = z.string().min(1);

const envelopeA = <T extends z.ZodType>(data: T) =>
  z.strictObject({
    success: z.literal(true),
    source: z.enum(['fx', 'macro']),
    asOf: dateTime,
    license: z.string().optional(),
    cached: z.boolean().optional(),
    data: z.array(data),
  });

const common = {
  success: z.literal(true),
  creditsUsed: z.literal(1),
  creditsRemaining: z.int().nonnegative(),
};

export const fxRates = envelopeA(
  z.strictObject({
    pair: z.string().regex(/^[A-Z]{6}$/),
    buying: z.number().positive(),
    selling: z.number().positive(),
  }),
);

export const history = envelopeA(z.strictObject({ date, value: z.number() }));

export const catalog = envelopeA(
  z.strictObject({ code: z.string().regex(/^[A-Z0-9]+(\.[A-Z0-9]+)+$/), name: nonEmpty }),
);

export const health = z.strictObject({
  success: z.literal(true),
  status: nonEmpty,
  db: z.boolean(),
  cache: z.boolean(),
  time: dateTime,
});

export const legislation = z.strictObject({
  ...common,
  total: z.int().positive(),
  data: z.array(
    z.strictObject({
      id: nonEmpty,
      publishedAt: date,
      effectiveDate: date,
      type: z.enum(['kanun', 'yonetmelik', 'teblig', 'genelge']),
      title: nonEmpty,
      parentLaw: z.strictObject({ name: nonEmpty, number: nonEmpty }),
      institution: nonEmpty,
      topics: z.array(nonEmpty).min(1),
      changeType: z.enum(['ekleme', 'degisiklik', 'yururlukten-kaldirma']),
      affectedArticles: z.array(nonEmpty).min(1),
      summary: nonEmpty,
      diff: z.strictObject({ before: z.string(), after: z.string() }),
      gazetteNumber: z.int(),
      sourceUrl: z.url(),
    }),
  ),
});

const event = {
  id: nonEmpty,
  datetime: dateTime,
  country: z.string().regex(/^[A-Z]{2}$/),
  currency: z.string().regex(/^[A-Z]{3}$/),
  event: nonEmpty,
  indicator: nonEmpty,
  importance: z.enum(['low', 'medium', 'high']),
  period: nonEmpty,
  forecast: z.number(),
  previous: z.number(),
  unit: nonEmpty,
};

const unreleased = z.strictObject({ ...event, actual: z.null() });

const released = z.strictObject({
  ...event,
  actual: z.number(),
  surprise: z.number(),
  impact: z.enum(['positive', 'negative', 'neutral']),
});

export const calendar = z.strictObject({
  ...common,
  timezone: z.literal('Europe/Istanbul'),
  data: z.array(z.union([unreleased, released])),
});

export const crypto = z.strictObject({
  ...common,
  convert: z.enum(['USD', 'TRY', 'EUR']),
  timestamp: dateTime,
  data: z.array(
    z.strictObject({
      symbol: nonEmpty,
      name: nonEmpty,
      rank: z.int().positive(),
      price: z.number().positive(),
      priceUsd: z.number().positive(),
      change1h: z.number().optional(),
      change24h: z.number(),
      change7d: z.number().optional(),
      volume24h: z.number(),
      marketCap: z.number(),
      circulatingSupply: z.number().optional(),
      maxSupply: z.number().optional(),
      dominance: z.number().optional(),
      updatedAt: dateTime,
    }),
  ),
});

export const errorA = z.strictObject({
  success: z.literal(false),
  error: nonEmpty,
  message: nonEmpty,
});

export const errorB = z.strictObject({
  success: z.literal(false),
  code: nonEmpty,
  message: nonEmpty,
  creditsRemaining: z.int().nonnegative(),
});
