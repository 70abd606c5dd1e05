-- Publishes a request, if the process that the client is connected to has the lock.
-- KEYS: lock. ARGV: process, channel, request.
-- Returns the number of receivers; -1 if another process has the lock, -2 if none has it.
local held = redis.call('GET', KEYS[1])
if not held then return -2 end
if string.match(held, ':(.*)$') ~= ARGV[1] then return -1 end
return redis.call('PUBLISH', ARGV[2], ARGV[3])
