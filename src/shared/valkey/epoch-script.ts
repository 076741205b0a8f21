/**
 * Part of the script that makes a change (units-script.ts), which has `now` and `whole`: returns the epoch of the
 * server, and when it began. A new one begins after every start of the server, after a flush, and when the clock goes
 * back to before the beginning of the last one. In its first two seconds, no units with a limit are given out. `lost`:
 * the epoch in which something was stored that is gone, e.g. because it was evicted; that epoch is over, too.
 */
export const EPOCH = `local function currentEpoch(lost)
  local info = redis.pcall('INFO', 'server')
  local run = type(info) == 'string' and string.match(info, 'run_id:(%w+)') or 'unknown'
  local epoch = redis.call('GET', KEYS[1])
  local begun = epoch and tonumber(string.match(epoch, '%d+$'))
  if not epoch or string.match(epoch, '^%w+') ~= run or begun > now or epoch == lost then
    begun = now
    epoch = run .. ' ' .. whole(now)
    redis.call('SET', KEYS[1], epoch)
  end
  return epoch, begun
end`;
