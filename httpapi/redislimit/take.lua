-- Counts a request in the window of a client and class, and returns: 1 if it passes,
-- how many have, how long the window stays open, and what time it is.
-- KEYS[1] is the window; ARGV are the limit and how long a window is, in milliseconds.
local limit, window = tonumber(ARGV[1]), tonumber(ARGV[2])
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

-- A window that ends later than any can has been opened before the clock was set
-- back. Up to one length of a window that is let pass.
local count, left = 0, redis.call('PTTL', KEYS[1])
if left > 0 and left <= 2 * window then
	count = tonumber(redis.call('GET', KEYS[1]))
else
	left = window
end

local passes = 0
if count < limit then
	passes, count = 1, count + 1
	if count == 1 then
		redis.call('SET', KEYS[1], 1, 'PX', window)
	else
		redis.call('INCR', KEYS[1])
	end
end
return {passes, count, left, now}
