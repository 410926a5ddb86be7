package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/internal/check/harness/bench/webhook/payloads"
)

func TestPeersReturnTheSameEvents(t *testing.T) {
	for _, p := range payloads.All {
		require.NotPanics(t, func() { checkPeers(p) }, p.Name)
	}
}

// A claim on a peer covers all payloads.
func TestClaims(t *testing.T) {
	claimed := 0
	for _, peer := range peers {
		for _, claim := range peer.claims {
			require.Equal(t, peer.claims[0] > 0, claim > 0, peer.name)
		}
		if peer.claims[0] > 0 {
			claimed++
		}
	}
	require.GreaterOrEqual(t, claimed, 4)
	require.Contains(t, standardPeers[0].name, "encoding/json")
	require.Positive(t, standardPeers[0].claims[0])
}
