/**
 * The parts of node:http that are used. An import of that module would evaluate all its exports, some of which come
 * from Node's own `fetch`: loading that takes longer than loading the rest of the server.
 */
export const { createServer, STATUS_CODES } = process.getBuiltinModule('node:http');
