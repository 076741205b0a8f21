import { clausesOf, type Clause } from '../lists/clauses.ts';
import { INSTITUTIONS } from '../lists/institutions.ts';
import { LAWS, type LawType, type ParentLaw } from '../lists/laws.ts';
import { memoize } from '../memo.ts';
import { pick, streamOf, uniform } from '../random.ts';
import { firstDayOf, formatDay, isBusinessDay, monthOf, parseDay } from '../time.ts';

/** Synthetic legislation changes: what is published on a day. Knows nothing of requests. */

type ChangeType = 'ekleme' | 'degisiklik' | 'yururlukten-kaldirma';

/** Legislation change record of section 2.5. */
interface LegislationRecord {
  id: string;
  publishedAt: string;
  effectiveDate: string;
  type: LawType;
  title: string;
  parentLaw: { name: string; number: string };
  institution: string;
  topics: readonly string[];
  changeType: ChangeType;
  affectedArticles: string[];
  summary: string;
  diff: { before: string; after: string };
  gazetteNumber: number;
  sourceUrl: string;
}

/** A record with what the filters compare. */
export interface Change {
  record: LegislationRecord;
  institutionSlug: string;
  /** The text that `q` searches, in Turkish lower case. */
  text: string;
}

/** For each kind, the noun for an amending instrument, and the genitive (`of`) and locative (`at`) suffix of a name. */
const GRAMMAR: Record<LawType, { noun: string; of: string; at: string }> = {
  kanun: { noun: 'Kanun', of: 'nun', at: 'nda' },
  yonetmelik: { noun: 'Yönetmelik', of: 'nin', at: 'nde' },
  teblig: { noun: 'Tebliğ', of: 'nin', at: 'nde' },
  genelge: { noun: 'Genelge', of: 'nin', at: 'nde' },
};

/** Gazettes are numbered day by day; this number is close to that of the first day of 2024. */
const FIRST_GAZETTE = { day: parseDay('2024-01-01') ?? 0, number: 32_417 };

/** Random draws for one record. Each has its own position, so that adding one does not change the others. */
interface Draw {
  number(position: number, from: number, to: number): number;
  pick<T>(position: number, list: readonly T[]): T;
}

function createDraw(stream: number): Draw {
  return {
    number: (position, from, to) => from + Math.floor(uniform(stream, position) * (to - from + 1)),
    pick: (position, list) => pick(list, stream, position),
  };
}

function drawType(draw: Draw): LawType {
  const percent = draw.number(0, 0, 99);
  if (percent < 12) return 'kanun';
  if (percent < 54) return 'yonetmelik';
  return percent < 90 ? 'teblig' : 'genelge';
}

function drawChange(draw: Draw): ChangeType {
  const percent = draw.number(1, 0, 99);
  if (percent < 60) return 'degisiklik';
  return percent < 87 ? 'ekleme' : 'yururlukten-kaldirma';
}

function drawArticles(draw: Draw): string[] {
  const count = draw.number(2, 1, 3);
  const first = draw.number(3, 2, 40);
  return Array.from({ length: count }, (_, index) => {
    const article = String(first + index * draw.number(4, 1, 6));
    return draw.pick(5 + index, [article, article, `${article}/A`, `geçici ${article}`]);
  });
}

function drawDiff(draw: Draw, clause: Clause, change: ChangeType) {
  const old = draw.number(10, clause.from, clause.to);
  const next = draw.number(11, clause.from, clause.to);
  const text = (value: number) => clause.text.replace('#', String(value));
  const changed = next === old ? old + 1 : next;
  return {
    before: change === 'ekleme' ? '' : text(old),
    after: change === 'yururlukten-kaldirma' ? '' : text(changed),
  };
}

function titleOf(law: ParentLaw, change: ChangeType): string {
  const { noun, of, at } = GRAMMAR[law.type];
  return change === 'yururlukten-kaldirma'
    ? `${law.name}${of} Bazı Hükümlerinin Yürürlükten Kaldırılmasına Dair ${noun}`
    : `${law.name}${at} Değişiklik Yapılmasına Dair ${noun}`;
}

function summaryOf(law: ParentLaw, change: ChangeType, articles: string[], clause: Clause): string {
  const place = `${law.name}${GRAMMAR[law.type].of} ${articles.join(', ')} numaralı`;
  const summaries = {
    ekleme: `${place} maddelerine ${clause.subject} hakkında yeni hüküm eklenmiştir.`,
    degisiklik: `${place} maddelerinde yapılan değişiklikle ${clause.subject} yeniden belirlenmiştir.`,
    'yururlukten-kaldirma': `${place} maddelerindeki ${clause.subject} hükmü yürürlükten kaldırılmıştır.`,
  };
  return summaries[change];
}

/** When a change takes effect: at once, after a while, or on the first day of the next month. */
function drawEffectiveDay(draw: Draw, day: number): number {
  return draw.pick(12, [day, day, day + draw.number(13, 15, 90), firstDayOf(monthOf(day) + 1)]);
}

/** In a reserved domain, since none of this was published anywhere. */
function sourceUrlOf(date: string, number: number): string {
  const [year, month] = date.split('-');
  return `https://gazette.example/${year}/${month}/${date.replaceAll('-', '')}-${number}.htm`;
}

/** The parts of a record that follow from its law, its change and its clause. */
function drawContent(draw: Draw, law: ParentLaw) {
  const changeType = drawChange(draw);
  const clause = draw.pick(8, clausesOf(law.topics[0] ?? ''));
  const affectedArticles = drawArticles(draw);
  return {
    title: titleOf(law, changeType),
    parentLaw: { name: law.name, number: law.number },
    institution: INSTITUTIONS[law.institution] ?? law.institution,
    topics: law.topics,
    changeType,
    affectedArticles,
    summary: summaryOf(law, changeType, affectedArticles, clause),
    diff: drawDiff(draw, clause, changeType),
  };
}

function createChange(seed: number, day: number, number: number): Change {
  const date = formatDay(day);
  const draw = createDraw(streamOf(seed, `legislation ${date} ${number}`));
  const law = draw.pick(9, LAWS[drawType(draw)]);
  const record: LegislationRecord = {
    id: `rg-${date.replaceAll('-', '')}-${number}`,
    publishedAt: date,
    effectiveDate: formatDay(drawEffectiveDay(draw, day)),
    type: law.type,
    ...drawContent(draw, law),
    gazetteNumber: FIRST_GAZETTE.number + day - FIRST_GAZETTE.day,
    sourceUrl: sourceUrlOf(date, number),
  };
  const { title, summary, diff } = record;
  const text = [title, summary, diff.before, diff.after].join('\n').toLocaleLowerCase('tr');
  return { record, institutionSlug: law.institution, text };
}

/** The changes published on a day, newest (last printed) first; none on weekends and holidays. */
export function createGazette(seed: number): (day: number) => readonly Change[] {
  const counts = streamOf(seed, 'legislation counts');
  return memoize((day: number) => {
    if (!isBusinessDay(day)) return [];
    const count = 2 + Math.floor(uniform(counts, day) * 4);
    return Array.from({ length: count }, (_, index) => createChange(seed, day, count - index));
  }, 4000);
}
