import type { Group, Question } from './document.ts';

/** The questions that people come with, in their own words. The first one is opened by default. */

/** The visitor's day, some days from now, written as in ISO 8601 (which is also how Swedes write it). */
const daysFrom = (now: number, days: number) =>
  new Date(now + days * 86_400_000).toLocaleDateString('sv');

/** East of the market a new day has begun while events of the last one are still due. */
const earliestToday = (now: number) => {
  const [local, utc] = [daysFrom(now, 0), new Date(now).toISOString().slice(0, 10)];
  return local < utc ? local : utc;
};

function question(id: string, name: string, query: string, variables: object = {}): Question {
  return { id, name, query: query.trim(), variables: JSON.stringify(variables, null, 2) };
}

/** `now` in milliseconds since 1970: questions are about this year and the days to come. */
export function questionsAt(now: number): Group[] {
  const yearAgo = daysFrom(now, -365);
  return [
    {
      name: 'Currencies',
      questions: [
        question('lira', 'The dollar in lira, over a year', LIRA, { start: yearAgo }),
        question('lira-against', 'The lira against euro, dollar, pound', AGAINST, {
          start: yearAgo,
        }),
        question('rates', 'All rates against the lira', RATES),
      ],
    },
    {
      name: 'Economy',
      questions: [
        question('inflation', 'Inflation in the last twelve months', INFLATION),
        question('events', 'What moves markets in the coming days?', EVENTS, {
          start: earliestToday(now),
          end: daysFrom(now, 7),
        }),
        question('laws', 'What changed in Turkish law?', LAWS, { start: daysFrom(now, -30) }),
      ],
    },
    {
      name: 'Crypto',
      questions: [question('gainers', 'Top gainers', GAINERS)],
    },
    {
      name: 'Live',
      questions: [
        question('live-crypto', 'Crypto prices, live', LIVE_CRYPTO, {
          symbols: ['BTC', 'ETH', 'SOL', 'XRP', 'BNB', 'DOGE', 'ADA', 'AVAX'],
        }),
        question('live-rates', 'Lira rates, live', LIVE_RATES, {
          pairs: ['USDTRY', 'EURTRY', 'GBPTRY', 'CHFTRY'],
        }),
      ],
    },
    {
      name: 'This gateway',
      questions: [question('usage', 'What has been spent this month?', USAGE)],
    },
  ];
}

const LIRA = `
query LiraInAYear($start: Date) {
  fxRate(pair: "USDTRY") {
    pair
    history(start: $start) {
      changePercent
      points { date value }
      provenance { retrievedAt }
    }
  }
}`;

const AGAINST = `
query LiraAgainst($start: Date) {
  euro: fxRate(pair: "EURTRY") { ...Year }
  dollar: fxRate(pair: "USDTRY") { ...Year }
  pound: fxRate(pair: "GBPTRY") { ...Year }
}

fragment Year on FxRate {
  pair
  history(start: $start) {
    points { date value }
    provenance { retrievedAt }
  }
}`;

const RATES = `
query LiraRates {
  fxRates(filter: { quote: "TRY" }) {
    nodes { pair buying selling spread mid }
    provenance { retrievedAt }
  }
}`;

/** The change over twelve months is that between thirteen monthly values. */
const INFLATION = `
query Inflation {
  all: macroSeries(code: "TP.FG.J0") { ...Index }
  food: macroSeries(code: "TP.FG.J01") { ...Index }
}

fragment Index on MacroSeries {
  name
  observations(last: 13) {
    changePercent
    points { date value }
    provenance { retrievedAt }
  }
}`;

const EVENTS = `
query ComingDays($start: Date, $end: Date) {
  calendarEvents(filter: { start: $start, end: $end, importance: [HIGH, MEDIUM] }) {
    nodes { datetime country event importance forecast previous unit }
    provenance { retrievedAt }
  }
}`;

const LAWS = `
query LawChanges($start: Date) {
  legislationChanges(filter: { start: $start }, first: 50) {
    nodes { publishedAt title type changeType institution gazetteNumber }
    provenance { retrievedAt }
  }
}`;

const GAINERS = `
query TopGainers {
  cryptoAssets(first: 100, orderBy: { field: CHANGE_24H }) {
    nodes { symbol name change24h change7d price marketCap }
    provenance { retrievedAt }
  }
}`;

const LIVE_CRYPTO = `
subscription CryptoPrices($symbols: [String!]!) {
  cryptoAssetsUpdated(symbols: $symbols) {
    symbol name price change1h change24h updatedAt
  }
}`;

const LIVE_RATES = `
subscription LiraRates($pairs: [CurrencyPair!]!) {
  fxRatesUpdated(pairs: $pairs) { pair buying selling mid }
}`;

const USAGE = `
query SpentThisMonth {
  usage {
    fx { ...Spent }
    macro { ...Spent }
    credits { ...Spent }
  }
}

fragment Spent on Meter {
  usedThisMonth
  limit
  remaining
  background
}`;
