/** How the peers reach the sandbox: the same variables as the gateway. */

const { GROUP_A_URL, GROUP_A_KEY, GROUP_B_URL, GROUP_B_KEY } = process.env;

export const ADDRESSES = { A: GROUP_A_URL, B: GROUP_B_URL };

export const HEADERS = {
  A: { 'x-api-key': GROUP_A_KEY },
  B: { authorization: `apikey ${GROUP_B_KEY}`, accept: 'application/json' },
};

/** Seconds that answers of the upstream are kept; 0 = not at all. */
export const TTL_SECONDS = Number(process.env.TTL ?? 0);

/** Tells the benchmark where this server listens. */
export function announce(port) {
  process.stdout.write(`listening at http://127.0.0.1:${port}/graphql\n`);
}

/** Like the gateway, it ends on SIGTERM. */
process.once('SIGTERM', () => process.exit(0));
