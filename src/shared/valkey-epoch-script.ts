/**
 * For the script of a change (valkey-units-script.ts), which knows the time, `now`, and how to write whole
 * numbers: the epoch of the server, and when it began. It is another one after every start, and after all
 * was flushed.
 */
export const EPOCH = `local function currentEpoch()
  local info = redis.pcall('INFO', 'server')
  local run = type(info) == 'string' and string.match(info, 'run_id:(%w+)') or 'unknown'
  local epoch = redis.call('GET', KEYS[1])
  if not epoch or string.match(epoch, '^%w+') ~= run then
    epoch = run .. ' ' .. whole(now)
    redis.call('SET', KEYS[1], epoch)
  end
  return epoch, tonumber(string.match(epoch, '%d+$'))
end`;
