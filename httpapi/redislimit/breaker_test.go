package redislimit

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

func TestBreaker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &breaker{born: time.Now()}
		requireTry := func(ok, isProbe bool) {
			t.Helper()
			gotOK, gotProbe := b.try()
			require.Equal(t, [2]bool{ok, isProbe}, [2]bool{gotOK, gotProbe})
		}
		time.Sleep(time.Second)
		requireTry(true, false)
		require.False(t, b.record(false, true))
		require.True(t, b.record(false, false), "the outage begins")
		require.False(t, b.record(false, false))
		require.False(t, b.record(false, true), "a late reply doesn't end it")
		requireTry(false, false)
		time.Sleep(retryEvery)
		requireTry(true, true)
		requireTry(false, false)
		require.False(t, b.record(true, false))
		time.Sleep(retryEvery)
		requireTry(true, true)
		require.True(t, b.record(true, true), "the outage ends")
		requireTry(true, false)
		b.close()
		time.Sleep(time.Hour)
		requireTry(false, false)
		require.False(t, b.record(true, true))
		require.False(t, b.record(true, false))
		requireTry(false, false)
	})
}
