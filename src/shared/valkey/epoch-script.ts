/**
 * For the script of a change (units-script.ts), which knows the time, `now`, and how to write whole
 * numbers: the epoch of the server, and when it began. It is another one after every start, after all was
 * flushed, and where its clock went back behind the beginning: nothing is given out in the first two seconds.
 * `lost`: the epoch in which something was stored that is gone, e.g. because it was evicted.
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
