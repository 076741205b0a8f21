import { GraphQLError } from 'graphql';
import { type Plugin, processRegularResult } from 'graphql-yoga';

/** What can carry a stream of events. */
const STREAMS = ['text/event-stream'];
/** What can carry a single result. */
const RESULTS = [
  'application/graphql-response+json',
  'application/json',
  ...STREAMS,
  'multipart/mixed',
];

/**
 * Refuses what could not be sent back before it runs: Yoga itself would run an operation, pay for it,
 * and then answer without a body; a subscription it would leave running for nobody.
 */
export function useNegotiation(): Plugin {
  return {
    onParams({ request }) {
      if (!accepts(request, RESULTS)) throw notAcceptable('An answer', RESULTS);
    },
    onSubscribe({ args, setResultAndStopExecution }) {
      const { request } = args.contextValue;
      if (request && !accepts(request, STREAMS))
        setResultAndStopExecution({ errors: [notAcceptable('A subscription', STREAMS)] });
    },
    /** Errors are told in JSON to those who cannot be told otherwise. */
    onResultProcess({ result, resultProcessor, setResultProcessor }) {
      if (!resultProcessor && !(Symbol.asyncIterator in result))
        setResultProcessor(processRegularResult, 'application/json');
    },
  };
}

/** By the same reading of the header that Yoga has when it chooses. */
function accepts({ headers }: Request, offered: readonly string[]): boolean {
  const ranges = (headers.get('accept') || '*/*').toLowerCase().replaceAll(/[\s"]/g, '').split(',');
  return ranges.some((range) => {
    const [asked = '', ...parameters] = range.split(';');
    const charset = parameters.find((parameter) => parameter.includes('charset='));
    if (charset && charset !== 'charset=utf-8') return false;
    return offered.some((type) => matches(asked, type));
  });
}

function matches(asked: string, offered: string): boolean {
  const [type, subtype] = offered.split('/');
  const [askedType, askedSubtype] = asked.split('/');
  return [type, '*'].includes(askedType) && [subtype, '*'].includes(askedSubtype);
}

function notAcceptable(what: string, offered: readonly string[]): GraphQLError {
  const message = `${what} is sent as ${offered.join(' or ')}, and the request accepts none of it.`;
  return new GraphQLError(message, {
    extensions: { code: 'NOT_ACCEPTABLE', http: { status: 406 } },
  });
}
