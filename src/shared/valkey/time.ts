/** Lua: `now` is the server's own time in milliseconds, `time` its seconds and microseconds. */
export const TIME = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
`;
