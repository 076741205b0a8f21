import { createCheckDocument } from '../documents/check.ts';
import { createExecution } from '../execution/execute.ts';
import { createTurns } from '../execution/turns.ts';
import { METERS } from '../meters.ts';
import { createKeptAnswers } from '../pipeline/kept-answers.ts';
import { createPipeline } from '../pipeline/pipeline.ts';
import { createPlaces } from '../pipeline/places.ts';
import { createReplies } from '../pipeline/reply.ts';
import { schema } from '../schema.ts';
import { countStretchDecreases } from '../spending/lifetimes.ts';
import type { Base } from './base.ts';

/** Creates the parts that take an operation from its request to its reply. */
export function createOperations(base: Base, compile: boolean) {
  const { config, gateway, listed, observers, sandbox, log, monotonic } = base;
  const stretchDecreases = countStretchDecreases(
    METERS.map((meter) => gateway.governors[meter].longestStretch),
  );
  const keptAnswers = createKeptAnswers(gateway.store.namespace(), stretchDecreases);
  const replies = createReplies({ keptAnswers, ledger: gateway.ledger, sandbox, monotonic, log });
  const turns = createTurns();
  const checkDocument = createCheckDocument(schema);
  const places = createPlaces(config.maxOperations, monotonic);
  const pipeline = createPipeline({
    gateway,
    keptAnswers,
    documents: listed.documents,
    checkDocument,
    execution: createExecution({ schema, compile }),
    turns,
    places,
    replies,
    observer: observers.operation,
    log,
  });
  return { pipeline, replies, turns, places, checkDocument };
}

export type Operations = ReturnType<typeof createOperations>;
