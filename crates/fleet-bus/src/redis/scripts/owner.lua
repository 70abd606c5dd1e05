-- What the scripts about owners have in common; it stands in front of each of them.
-- KEYS: owner, session, takeover, wait, lock. ARGV: channel, seconds of an owner, ...
--
-- owner     CALLER:TIME
-- session   CONNECTION PROOF OWNER, where the connection is `-` after its end, and the proof the hash of a token
-- takeover  CONNECTION PROOF OWNER-THAT-WAS-ASKED NEXT-OWNER; it is final when `wait` has expired
local channel, seconds = ARGV[1], ARGV[2]
local owner = redis.call('GET', KEYS[1]) or ''

local function caller_of(value) return string.match(value, '^(.*):') or value end

local function notify(caller, event, by)
  redis.call('PUBLISH', channel .. ':' .. caller, cjson.encode({ event = event, by = by }))
end

-- Tells the agent to look.
local function report() redis.call('PUBLISH', channel, '') end

local function hold(value, connection, proof)
  owner = value
  redis.call('SET', KEYS[1], value, 'EX', seconds)
  redis.call('SET', KEYS[2], connection .. ' ' .. proof .. ' ' .. value, 'EX', seconds)
end

-- The session of the owner; none of an owner that another program has written.
local function session()
  local held = redis.call('GET', KEYS[2])
  if not held or owner == '' then return nil, nil end
  local connection, proof, value = string.match(held, '^(%S+) (%S+) (%S+)$')
  if value ~= owner then return nil, nil end
  return connection, proof
end

-- Returns the connection that takes over, after making final what is due.
local function settle()
  local pending = redis.call('GET', KEYS[3])
  if not pending then return nil end
  local connection, proof, asked, value = string.match(pending, '^(%S+) (%S+) (%S+) (%S+)$')
  if owner == asked and redis.call('GET', KEYS[4]) then return connection end
  redis.call('DEL', KEYS[3], KEYS[4])
  -- The agent has another owner than the one that was asked: that claim was earlier.
  if owner ~= '' and owner ~= asked then
    notify(caller_of(value), 'decided', caller_of(owner))
    return nil
  end
  local by = caller_of(value)
  notify(caller_of(asked), 'final', by)
  hold(value, connection, proof)
  notify(by, 'decided', by)
  report()
  return nil
end
local taker = settle()
