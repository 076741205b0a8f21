import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import pino from 'pino';
import { createApp } from '../../src/app.ts';
import { openClients } from '../../src/clients/clients.ts';
import { createAuthenticator } from '../../src/clients/authenticator.ts';
import { unauthenticated } from '../../src/clients/refusals.ts';
import { readConfig } from '../../src/config.ts';
import { refusalReply } from '../../src/transport/http-reply.ts';
import { median } from './speed-hot.ts';
import { bearer, drive, postOf } from './speed-load.ts';
import { small } from './speed-operations.ts';

/** Measures the processor time of a request with a wrong key, within this process. */

const ROUNDS = 7;
const TURN_MS = 200;
const LOOPS = 20_000;
const WRONG = `mg_${'x'.repeat(43)}`;

export interface RejectionCosts {
  /** Processor time of a whole request, beyond that of the cheapest server with the same answer. */
  requestMicros: number;
  /** Processor time per request of that server and of the client. */
  bareMicros: number;
  /** Processor time of authentication alone: from the request's headers to the refusal. */
  authenticatorMicros: number;
  /** The part of that for finding whose key it is. */
  identifyMicros: number;
}

async function serve(handler: RequestListener) {
  const server = createServer(handler).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}/graphql`;
  const bytes = postOf(url, small, bearer(WRONG));
  return {
    close: () => server.close(),
    /** Microseconds of processor time per answer, of server and client together. */
    async turn(): Promise<number> {
      const load = { url, next: () => bytes, status: 401 };
      const before = process.cpuUsage();
      const end = performance.now() + TURN_MS;
      const { answers } = await drive(load, () => performance.now() >= end);
      return microsSince(before) / answers;
    },
  };
}

/** Reads the body, as the gateway must, and sends the gateway's answer. */
const bareRefusal =
  ({ status, headers, body }: ReturnType<typeof refusalReply>): RequestListener =>
  (request, response) => {
    const text = String((body as string[])[0]);
    request.on('data', () => undefined);
    request.on('end', () => response.writeHead(status, headers).end(text));
  };

export async function measureRejection(path: string, folder: string): Promise<RejectionCosts> {
  const log = pino({ level: 'silent' });
  const app = await createApp(readConfig({ CLIENTS_FILE: path, DATA_DIR: folder, SANDBOX: '1' }), {
    log,
  });
  const clients = await openClients({ path, log });
  const authenticator = createAuthenticator(clients, () => performance.now());
  const headers = { authorization: `Bearer ${WRONG}` };
  const identify = () => authenticator.identifyIn(headers);
  const refuse = () => {
    if (identify()) throw new Error('it is a wrong key');
    return refusalReply(unauthenticated(), { mediaType: 'application/json' });
  };
  const ours = await serve(app.handler);
  const other = await serve(bareRefusal(refuse()));
  const times: Record<'ours' | 'other' | 'door' | 'identify', number[]> = {
    ours: [],
    other: [],
    door: [],
    identify: [],
  };
  for (let round = 0; round < ROUNDS; round += 1) {
    times.other.push(await other.turn());
    times.ours.push(await ours.turn());
    times.door.push(loop(refuse));
    times.identify.push(loop(identify));
  }
  for (const one of [ours, other]) one.close();
  clients.close();
  await app.close();
  return {
    requestMicros: median(times.ours.map((one, i) => one - times.other[i]!)),
    bareMicros: median(times.other),
    authenticatorMicros: median(times.door),
    identifyMicros: median(times.identify),
  };
}

function loop(task: () => unknown): number {
  const before = process.cpuUsage();
  for (let i = 0; i < LOOPS; i += 1) task();
  return microsSince(before) / LOOPS;
}

function microsSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before);
  return user + system;
}
