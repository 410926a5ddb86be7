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

-- If the clock was set back, a window would stay open for as long. It ends at most
-- one length of a window from now.
local count, last = 0, now + window
if ends > last then
	redis.call('PEXPIREAT', KEYS[1], last)
	ends = last
end
if ends > now then
	count = tonumber(redis.call('GET', KEYS[1]))
else
	ends = last
end

local allowed = 0
if count < limit then
	allowed, count = 1, count + 1
	if count == 1 then
		redis.call('SET', KEYS[1], 1, 'PXAT', ends)
	else
		redis.call('INCR', KEYS[1])
	end
end
return {allowed, count, ends - now, ends}
