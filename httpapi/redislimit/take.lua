-- Counts a request in the window of a client and class, and returns: 1 if it passes,
-- how many have, how long the window stays open, and when it is over.
-- KEYS[1] is the window; ARGV are the limit and how long a window is, in milliseconds.
local limit, window = tonumber(ARGV[1]), tonumber(ARGV[2])
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

-- Servers before Redis 7 do not tell when a key expires, but only in how long, counted
-- from a moment before this one: there the end may come out a millisecond late.
local ends = redis.pcall('PEXPIRETIME', KEYS[1])
if type(ends) == 'table' then
	ends = now + redis.call('PTTL', KEYS[1])
end

-- A window that ends later than any can has been opened before the clock was set
-- back. Up to one length of a window that is let pass.
local count = 0
if ends > now and ends <= now + 2 * window then
	count = tonumber(redis.call('GET', KEYS[1]))
else
	ends = now + window
end

local passes = 0
if count < limit then
	passes, count = 1, count + 1
	if count == 1 then
		redis.call('SET', KEYS[1], 1)
		redis.call('PEXPIREAT', KEYS[1], ends)
	else
		redis.call('INCR', KEYS[1])
	end
end
return {passes, count, ends - now, ends}
