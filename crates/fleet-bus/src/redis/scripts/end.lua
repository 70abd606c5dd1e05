-- KEYS: lock, and what ends with it. ARGV: own value.
if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', unpack(KEYS)) end
return 0
