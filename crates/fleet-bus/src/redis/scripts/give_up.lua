-- Ends what a connection has: with seconds, an owner has this time to return, without, it releases the agent.
-- ARGV: ..., connection, seconds or 0.
local connection, window = ARGV[3], ARGV[4]
if window ~= '0' and taker == connection then redis.call('DEL', KEYS[3], KEYS[4]) end
local holder, proof = session()
if holder ~= connection then return 0 end
if window ~= '0' then
  redis.call('EXPIRE', KEYS[1], window)
  redis.call('SET', KEYS[2], '- ' .. proof .. ' ' .. owner, 'EX', window)
  return 1
end
redis.call('DEL', KEYS[1], KEYS[2])
owner = ''
settle()
report()
return 1
