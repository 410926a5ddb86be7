package redislimit

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

func TestBreaker(t *testing.T) {
	record := func(b *breaker, o outcome, after time.Duration) (outage bool) {
		began := time.Now()
		time.Sleep(after)
		return b.record(askRedis, began, o) == outageBegan
	}
	for name, test := range map[string]func(t *testing.T, b *breaker){
		"many failures at once are no outage": func(t *testing.T, b *breaker) {
			for range 1000 {
				require.False(t, record(b, silent, 0))
				require.False(t, record(b, late, 0))
			}
			require.Equal(t, askRedis, b.permit())
		},
		"silence": func(t *testing.T, b *breaker) {
			require.False(t, record(b, silent, 0))
			require.False(t, record(b, silent, silentFor-1))
			require.False(t, record(b, silent, 0))
			require.True(t, record(b, silent, 1))
			require.Equal(t, stayAway, b.permit())
		},
		"late replies": func(t *testing.T, b *breaker) {
			require.False(t, record(b, late, silentFor))
			require.False(t, record(b, silent, silentFor), "the first")
			require.False(t, record(b, late, lateFor-2*silentFor-1))
			require.True(t, record(b, late, 1))
			require.Equal(t, stayAway, b.permit())
		},
		"two failures are no outage, however long they take": func(t *testing.T, b *breaker) {
			require.False(t, record(b, silent, time.Hour))
			require.False(t, record(b, silent, time.Hour))
			require.True(t, record(b, silent, 0))
		},
		"a success in between": func(t *testing.T, b *breaker) {
			for range 1000 {
				require.False(t, record(b, silent, lateFor))
				require.False(t, record(b, late, lateFor))
				require.False(t, record(b, inTime, 0))
			}
		},
		"the outage began with the earliest try": func(t *testing.T, b *breaker) {
			earlier := time.Now()
			time.Sleep(silentFor)
			require.False(t, record(b, silent, 0))
			require.False(t, record(b, silent, 0))
			require.Equal(t, outageBegan, b.record(askRedis, earlier, silent))
		},
		"only a probe ends an outage": func(t *testing.T, b *breaker) {
			b.begin()
			require.Equal(t, nothing, b.record(askRedis, time.Now(), inTime))
			require.Equal(t, nothing, b.record(askRedis, time.Now(), silent))
			for range 3 {
				require.Equal(t, stayAway, b.permit())
				time.Sleep(retryEvery)
				require.Equal(t, probe, b.permit())
				require.Equal(t, outageGoesOn, b.record(probe, time.Now(), late))
			}
			time.Sleep(retryEvery)
			require.Equal(t, probe, b.permit())
			require.Equal(t, outageEnded, b.record(probe, time.Now(), inTime))
			require.Equal(t, askRedis, b.permit())
			for _, o := range []outcome{inTime, late, silent} {
				require.Equal(t, nothing, b.record(probe, time.Now(), o), "a slower probe")
			}
		},
		"closed": func(t *testing.T, b *breaker) {
			b.close()
			for range 10 {
				require.False(t, record(b, silent, lateFor))
				require.Equal(t, nothing, b.record(probe, time.Now(), inTime))
				require.Equal(t, stayAway, b.permit())
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { test(t, &breaker{}) })
		})
	}
}
