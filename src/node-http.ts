/**
 * What is used of node:http. Whoever imports that module gets all that it exports, among it what is in Node's own
 * `fetch`: loading that takes longer than everything else of the server.
 */
export const { createServer, STATUS_CODES } = process.getBuiltinModule('node:http');
