import { builder } from '../../graph/builder.ts';
import { Node } from '../../graph/node.ts';
import type { LegislationChangeShape } from './records.ts';

/** The types of the legislation domain (spec section 2.5). */

export const LegislationType = builder.enumType('LegislationType', {
  description: 'Kind of instrument.',
  values: {
    LAW: { description: 'A law passed by parliament (kanun).' },
    REGULATION: {
      description:
        'A regulation: how a law is carried out (yönetmelik; the upstream writes yonetmelik).',
    },
    COMMUNIQUE: {
      description:
        'A communiqué: detailed rules of an authority (tebliğ; the upstream writes teblig).',
    },
    CIRCULAR: { description: 'A circular: instructions to the administration (genelge).' },
    OTHER: { description: 'Any other kind of instrument: see typeCode.' },
  },
});

export const LegislationChangeType = builder.enumType('LegislationChangeType', {
  description: 'What happened to the affected articles.',
  values: {
    ADDITION: { description: 'Something was added (ekleme).' },
    AMENDMENT: {
      description: 'Something was changed (değişiklik; the upstream writes degisiklik).',
    },
    REPEAL: {
      description:
        'Something was repealed: it is no longer in force (yürürlükten kaldırma; the upstream writes yururlukten-kaldirma).',
    },
    OTHER: { description: 'Any other kind of change: see changeTypeCode.' },
  },
});

const ParentLaw = builder
  .objectRef<NonNullable<LegislationChangeShape['parentLaw']>>('ParentLaw')
  .implement({
    description: 'The law that a change belongs to.',
    fields: (t) => ({
      name: t.exposeString('name', { description: 'Name of the law.' }),
      number: t.exposeString('number', {
        nullable: true,
        description: 'Null if the upstream gives its placeholder dash.',
      }),
    }),
  });

const TextDiff = builder
  .objectRef<NonNullable<LegislationChangeShape['diff']>>('TextDiff')
  .implement({
    description: 'Old and new text of a change.',
    fields: (t) => ({
      before: t.exposeString('before', { nullable: true, description: 'Old text.' }),
      after: t.exposeString('after', { nullable: true, description: 'New text.' }),
    }),
  });

export const LegislationChange = builder
  .objectRef<LegislationChangeShape>('LegislationChange')
  .implement({
    interfaces: [Node],
    description: 'A published change to Turkish legislation.',
    fields: (t) => ({
      recordId: t.exposeString('recordId', {
        description: "The upstream's identifier of the record.",
      }),
      publishedAt: t.expose('publishedAt', { type: 'Date', description: 'Publication date.' }),
      effectiveDate: t.expose('effectiveDate', {
        type: 'Date',
        nullable: true,
        description: 'Date of entry into force.',
      }),
      type: t.expose('type', { type: LegislationType, description: 'Kind of instrument.' }),
      typeCode: t.exposeString('typeCode', { description: "The upstream's own word for type." }),
      title: t.exposeString('title', { description: 'Title of the amending instrument.' }),
      parentLaw: t.expose('parentLaw', {
        type: ParentLaw,
        nullable: true,
        description: 'The law that is changed.',
      }),
      institution: t.exposeString('institution', {
        nullable: true,
        description: 'Publishing institution.',
      }),
      topics: t.exposeStringList('topics', { description: 'Topic tags.' }),
      changeType: t.expose('changeType', {
        type: LegislationChangeType,
        description: 'What happened to the affected articles.',
      }),
      changeTypeCode: t.exposeString('changeTypeCode', {
        description: "The upstream's own word for changeType.",
      }),
      affectedArticles: t.exposeStringList('affectedArticles', {
        description: 'Article or clause numbers changed.',
      }),
      summary: t.exposeString('summary', {
        nullable: true,
        description: 'Short description of the change.',
      }),
      diff: t.expose('diff', {
        type: TextDiff,
        nullable: true,
        description: 'Old and new text.',
      }),
      gazetteNumber: t.exposeInt('gazetteNumber', {
        nullable: true,
        description: 'Official gazette issue number.',
      }),
      sourceUrl: t.exposeString('sourceUrl', {
        nullable: true,
        description: 'Address of the published text.',
      }),
    }),
  });
