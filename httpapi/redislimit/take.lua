-- Counts requests in the window KEYS[1]. ARGV contains the limit, the length of a window in ms, and how
-- many requests the replica can use. It gets a quarter of those that are left, and at least one, so
-- that little is left unused at replicas when the limit is reached. Returns how many it gets, the
-- count and the remaining ms.
local limit, window, wanted = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local left = redis.call('PTTL', KEYS[1])
local count, granted = 0, 0
if left > 0 then
	count = tonumber(redis.call('GET', KEYS[1]))
end
if count < limit then
	granted = math.min(wanted, math.max(1, math.floor((limit - count) / 4)))
	count = count + granted
end
-- Rejected requests write too, so that all requests fail on a server that can't write.
if left > 0 and left <= window then
	redis.call('SET', KEYS[1], count, 'KEEPTTL')
else -- a new window, or one from before the clock was set back
	left = window
	redis.call('SET', KEYS[1], count, 'PX', left)
end
return {granted, count, left}
