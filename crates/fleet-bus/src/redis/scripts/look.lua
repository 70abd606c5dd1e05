-- Refreshes the owner, if the connection is that of the owner.
-- ARGV: ..., connection or `-`.
-- Returns the lock, the owner, the connection and the proof of the owner, and the connection that takes over.
local holder, proof = session()
if holder and holder ~= '-' and holder == ARGV[3] then
  redis.call('EXPIRE', KEYS[1], seconds)
  redis.call('EXPIRE', KEYS[2], seconds)
end
return { redis.call('GET', KEYS[5]) or '', owner, holder or '', proof or '', taker or '' }
