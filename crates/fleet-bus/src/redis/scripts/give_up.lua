-- Ends what a connection has.
-- ARGV: ..., connection, and what happens: the seconds that an owner has to return; `release`; or `cancel`, which ends a
-- takeover, or what it became.
local connection, act = ARGV[3], ARGV[4]
if act ~= 'release' and taker == connection then redis.call('DEL', KEYS[3], KEYS[4]) end
local holder, proof = session()
if holder ~= connection then return 0 end
if act ~= 'release' and act ~= 'cancel' then
  redis.call('EXPIRE', KEYS[1], act)
  redis.call('SET', KEYS[2], '- ' .. proof .. ' ' .. owner, 'EX', act)
  return 1
end
redis.call('DEL', KEYS[1], KEYS[2])
owner = ''
settle()
report()
return 1
