-- Counts a request in the window of a client and class. Returns 1 if the request is
-- allowed, else 0; how many are counted; how long the window stays open; and when it
-- ends. Times are in milliseconds.
-- KEYS[1] is the window; ARGV are the limit and the length of a window.
local limit, window = tonumber(ARGV[1]), tonumber(ARGV[2])
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

-- Before version 7, a server returns only how long a key lives, from an earlier
-- moment than now: there the end may be a millisecond late.
local ends = redis.pcall('PEXPIRETIME', KEYS[1])
if type(ends) == 'table' then
	ends = now + redis.call('PTTL', KEYS[1])
end

local count = 0
if ends > now then
	count = tonumber(redis.call('GET', KEYS[1]))
	-- If the clock was set back, the window would stay open for as long.
	ends = math.min(ends, now + window)
else
	ends = now + window
end

local allowed = 0
if count < limit then
	allowed, count = 1, count + 1
end
-- A rejected request writes the same count again, so that every request of a server
-- that can't write fails.
redis.call('SET', KEYS[1], count, 'PXAT', ends)
return {allowed, count, ends - now, ends}
