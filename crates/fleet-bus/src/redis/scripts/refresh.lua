-- Refreshes the lock and the entry of a process that has the lock.
-- KEYS: lock, entry. ARGV: own value, seconds, entry.
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[2], ARGV[3], 'EX', ARGV[2])
return redis.call('EXPIRE', KEYS[1], ARGV[2])
