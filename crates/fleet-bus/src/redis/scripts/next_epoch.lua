-- KEYS: epoch. ARGV: the last epoch that the agent knows.
local n = redis.call('INCR', KEYS[1])
if n <= tonumber(ARGV[1]) then
  n = tonumber(ARGV[1]) + 1
  redis.call('SET', KEYS[1], n)
end
return n
