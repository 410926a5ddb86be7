-- Counts a request in the window KEYS[1] with a limit and a length in ms, ARGV. Returns whether it's
-- allowed (1 or 0), the count and the remaining ms.
local limit, window = tonumber(ARGV[1]), tonumber(ARGV[2])
local left = redis.call('PTTL', KEYS[1])
local count, allowed = 0, 0
if left > 0 then
	count = tonumber(redis.call('GET', KEYS[1]))
end
if count < limit then
	allowed, count = 1, count + 1
end
-- Rejected requests write too, so that all requests fail on a server that can't write.
if left > 0 and left <= window then
	redis.call('SET', KEYS[1], count, 'KEEPTTL')
else -- a new window, or one from before the clock was set back
	left = window
	redis.call('SET', KEYS[1], count, 'PX', left)
end
return {allowed, count, left}
