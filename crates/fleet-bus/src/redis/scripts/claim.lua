-- ARGV: ..., caller, time, connection, proof, proof of an earlier token or `-`, seconds of a takeover or 0.
-- Returns what happened, the owner, and the proof of its token.
local caller, time, connection, proof = ARGV[3], ARGV[4], ARGV[5], ARGV[6]
local resumed, wait = ARGV[7], ARGV[8]
if owner == '' then
  hold(caller .. ':' .. time, connection, proof)
  report()
  return { 'held', owner, proof }
end
local holder, held = session()
local is_named = caller_of(owner) == caller
if holder == connection or (is_named and (held == resumed or not holder)) then
  hold(owner, connection, held or proof)
  report()
  return { 'held', owner, held or proof }
end
if taker or is_named or wait == '0' then return { 'denied', owner, '' } end
local value = caller .. ':' .. time
redis.call('SET', KEYS[3], connection .. ' ' .. proof .. ' ' .. owner .. ' ' .. value, 'EX', seconds)
redis.call('SET', KEYS[4], '', 'EX', wait)
notify(caller_of(owner), 'request', caller)
return { 'pending', owner, '' }
