-- Counts a request in the window of a client and class, KEYS[1]. Returns 1 if the request is
-- allowed, else 0; how many are counted; and how long the window stays open.
-- ARGV are the limit and the length of a window. Times are in milliseconds.
local limit, window = tonumber(ARGV[1]), tonumber(ARGV[2])
local left = redis.call('PTTL', KEYS[1])
local count, allowed = 0, 0
if left > 0 then
	count = tonumber(redis.call('GET', KEYS[1]))
end
if count < limit then
	allowed, count = 1, count + 1
end
-- A rejected request writes the same count again, so that every request of a server
-- that can't write fails.
if left > 0 and left <= window then
	redis.call('SET', KEYS[1], count, 'KEEPTTL')
else -- a new window, or one that would stay open for long, because the clock was set back
	left = window
	redis.call('SET', KEYS[1], count, 'PX', left)
end
return {allowed, count, left}
