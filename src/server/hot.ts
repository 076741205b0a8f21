import type { IncomingMessage, ServerResponse } from 'node:http';
import { perMeter } from '../meters.ts';
import type { Clock } from '../time.ts';
import type { Ledger } from '../usage/ledger.ts';
import { type Extensions, reportHit } from '../usage/report.ts';
import {
  type Answer,
  type Answers,
  cacheControl,
  matchesEtag,
  USED,
  usedBy,
  VARY,
} from './answers.ts';
import { afterData } from './draft.ts';

export interface HotOptions {
  answers: Answers;
  ledger: Ledger;
  sandbox: boolean;
  now: Clock;
}

const NOTHING = usedBy(perMeter(() => 0));

/** Sends a kept answer, with a fresh account of it; false where there is none. */
export type ServeHot = (request: IncomingMessage, key: string, response: ServerResponse) => boolean;

export function createServeHot({ answers, ledger, sandbox, now }: HotOptions): ServeHot {
  return (request, key, response) => {
    const answer = answers.find(key);
    if (!answer) return false;
    const headers = headersOf(request, answer, now());
    if (answer.etag && matchesEtag(request.headers['if-none-match'], answer.etag)) {
      response.writeHead(304, { ...headers, [USED]: NOTHING }).end();
      return true;
    }
    const extensions: Extensions = {
      usage: reportHit(ledger, answer.parts.size),
      ...(sandbox && { sandbox }),
    };
    const rest = afterData(extensions);
    const length = answer.bytes.length + Buffer.byteLength(rest);
    response.writeHead(200, { ...headers, 'content-length': length });
    // Head, data and account leave together, and the data are not copied.
    response.write(answer.bytes);
    response.end(rest);
    return true;
  };
}

function headersOf(
  { method }: IncomingMessage,
  { etag, contentType, freshUntil }: Answer,
  now: number,
) {
  return {
    'content-type': contentType,
    'cache-control': cacheControl(method, freshUntil, now),
    ...(etag && { etag, vary: VARY }),
  };
}
