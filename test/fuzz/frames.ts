import * as fc from 'fast-check';
import { parameters } from './requests.ts';

/** Mutated WebSocket frames, as a client sends them (RFC 6455 section 5.2). */

export interface Step {
  /** What it is, for readers of a counterexample. */
  kind: string;
  bytes: Buffer;
  /** Whether the message may start an operation. */
  mayRun: boolean;
}

interface Shape {
  opcode: number;
  fin?: boolean;
  reserved?: number;
  masked?: boolean;
  /** Stated in place of the real one. */
  length?: number;
}

const MASK = Buffer.from([0x37, 0xfa, 0x21, 0x3d]);

function lengthOf(length: number, bit: number): Buffer {
  if (length < 126) return Buffer.from([bit | length]);
  const long = length > 65_535;
  const bytes = Buffer.alloc(long ? 9 : 3);
  bytes[0] = bit | (long ? 127 : 126);
  if (long) bytes.writeBigUInt64BE(BigInt(length), 1);
  else bytes.writeUInt16BE(length, 1);
  return bytes;
}

export function frame(payload: string | Uint8Array, shape: Shape): Buffer {
  const { opcode, fin = true, reserved = 0, masked = true } = shape;
  const data = Buffer.from(payload as string);
  const first = Buffer.from([(fin ? 0x80 : 0) | (reserved << 4) | opcode]);
  const length = lengthOf(shape.length ?? data.length, masked ? 0x80 : 0);
  if (!masked) return Buffer.concat([first, length, data]);
  const maskedData = data.map((byte, i) => byte ^ MASK[i % 4]!);
  return Buffer.concat([first, length, MASK, maskedData]);
}

const TEXT = 1;
const BINARY = 2;
const CONTINUATION = 0;

export const text = (value: object) => frame(JSON.stringify(value), { opcode: TEXT });

const step = (kind: string, bytes: fc.Arbitrary<Buffer>, mayRun = false): fc.Arbitrary<Step> =>
  bytes.map((made) => ({ kind, bytes: made, mayRun }));

const id = fc.oneof(
  { arbitrary: fc.constantFrom('1', '2', '3'), weight: 6 },
  { arbitrary: fc.oneof(fc.constant(''), fc.jsonValue({ maxDepth: 1 })), weight: 1 },
);

const init = fc
  .option(fc.jsonValue({ maxDepth: 2 }), { nil: undefined })
  .map((payload) => text({ type: 'connection_init', payload }));

const subscribe = fc
  .tuple(id, fc.oneof({ arbitrary: parameters, weight: 6 }, fc.jsonValue({ maxDepth: 2 })))
  .map(([name, payload]) => JSON.stringify({ id: name, type: 'subscribe', payload }));

const subscription = fc
  .tuple(id, fc.constantFrom('["USDTRY"]', '["usd/try", "EURTRY"]', '[]', '["x"]'))
  .map(([name, pairs]) => {
    const query = `subscription { fxRatesUpdated(pairs: ${pairs}) { pair mid } }`;
    return JSON.stringify({ id: name, type: 'subscribe', payload: { query } });
  });

const anyMessage = fc.oneof(
  fc
    .tuple(fc.constantFrom('complete', 'ping', 'pong', 'next', 'error', 'connection_ack', 'x'), id)
    .map(([type, name]) => ({ type, id: name })),
  fc.record({ type: fc.jsonValue({ maxDepth: 1 }), id: fc.jsonValue({ maxDepth: 1 }) }),
  fc.array(fc.jsonValue({ maxDepth: 1 }), { maxLength: 2 }),
);

const inPieces = fc.tuple(subscribe, fc.nat(), fc.boolean()).map(([json, at, ends]) => {
  const data = Buffer.from(json);
  const cut = at % data.length;
  return Buffer.concat([
    frame(data.subarray(0, cut), { opcode: TEXT, fin: false }),
    frame('between', { opcode: 9 }),
    frame(data.subarray(cut), { opcode: CONTINUATION, fin: ends }),
  ]);
});

const cutJson = fc
  .tuple(subscribe, fc.nat(), fc.string({ maxLength: 3 }))
  .map(([json, at, other]) => {
    const place = at % json.length;
    return frame(json.slice(0, place) + other + json.slice(place + 1), { opcode: TEXT });
  });

const invalidFrame = fc
  .record({
    data: fc.uint8Array({ maxLength: 200 }),
    opcode: fc.nat(15),
    fin: fc.boolean(),
    reserved: fc.oneof({ arbitrary: fc.constant(0), weight: 3 }, fc.nat(7)),
    masked: fc.oneof({ arbitrary: fc.constant(true), weight: 4 }, fc.constant(false)),
  })
  .map(({ data, ...shape }) => frame(data, shape));

const invalidLength = fc
  .constantFrom(126, 65_536, 1_048_577, 2 ** 40)
  .map((length) => frame('x', { opcode: TEXT, length }));

const close = fc
  .tuple(fc.constantFrom(0, 999, 1000, 1005, 1006, 3000, 4400, 65_535), fc.string({ maxLength: 5 }))
  .map(([code, reason]) => {
    const head = Buffer.alloc(2);
    head.writeUInt16BE(code);
    return frame(Buffer.concat([head, Buffer.from(reason)]), { opcode: 8 });
  });

const asText = (json: fc.Arbitrary<string>) => json.map((value) => frame(value, { opcode: TEXT }));

const anyStep: fc.Arbitrary<Step> = fc.oneof(
  { arbitrary: step('operation', asText(subscribe), true), weight: 8 },
  { arbitrary: step('subscription', asText(subscription), true), weight: 2 },
  { arbitrary: step('pieces', inPieces, true), weight: 2 },
  { arbitrary: step('cut JSON', cutJson, true), weight: 2 },
  { arbitrary: step('init', init), weight: 1 },
  { arbitrary: step('message', anyMessage.map(text)), weight: 6 },
  {
    arbitrary: step(
      'binary',
      subscribe.map((json) => frame(json, { opcode: BINARY })),
      true,
    ),
    weight: 1,
  },
  { arbitrary: step('odd frame', invalidFrame), weight: 2 },
  { arbitrary: step('odd length', invalidLength), weight: 1 },
  { arbitrary: step('close', close), weight: 1 },
);

/** What a client sends over one connection, mostly after a `connection_init`. */
export const conversation: fc.Arbitrary<Step[]> = fc
  .tuple(fc.nat(9), init, fc.array(anyStep, { minLength: 4, maxLength: 10 }))
  .map(([chance, firstMessage, steps]) =>
    chance === 0 ? steps : [{ kind: 'init', bytes: firstMessage, mayRun: false }, ...steps],
  );
