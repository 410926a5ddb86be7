package main

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/internal/check/testenv"
	"github.com/hailmark/hailmark/webhooknorm/webhooktest"
)

func newReceiver(t *testing.T) webhooktest.Receiver {
	in, err := open(t.Context(), filepath.Join(t.TempDir(), "contacts.db"))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, in.db.Close()) })
	handler, err := in.handler("secret", "token")
	require.NoError(t, err)
	return webhooktest.Receiver{Handler: handler, AppSecret: "secret", ContactsOf: func(id string) (contacts []string) {
		rows, err := in.db.Query("SELECT contact FROM message WHERE id = ?", id)
		require.NoError(t, err)
		defer rows.Close()
		for rows.Next() {
			var contact string
			require.NoError(t, rows.Scan(&contact))
			contacts = append(contacts, contact)
		}
		require.NoError(t, rows.Err())
		return contacts
	}}
}

func TestRehearsal(t *testing.T) {
	webhooktest.Run(t, newReceiver(t))
}

// TestChanges simulates people who change their number every two years.
func TestChanges(t *testing.T) {
	testenv.Slow(t)
	c := webhooktest.NewConfig(1, 200, 3*365*24*time.Hour)
	c.Change = 0.5
	c.Run(t, newReceiver(t))
}
