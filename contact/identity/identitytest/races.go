package identitytest

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/hailmark/hailmark/contact/identity"
)

// testMergeBetween merges a person away before each statement of a transaction about them.
// Whether the merge comes first or waits, the person must be found.
func testMergeBetween(t *testing.T, s identity.Store) {
	ctx := context.Background()
	raw := identity.NewEngine(s, identity.Config{})
	for name, run := range map[string]func(tx identity.Tx, id identity.PersonID) error{
		"Forget": func(tx identity.Tx, id identity.PersonID) error {
			gone, _, err := raw.ForgetTx(ctx, tx, id)
			if err == nil && len(gone) == 0 {
				err = fmt.Errorf("%s is not found", id)
			}
			return err
		},
		"Person": func(tx identity.Tx, id identity.PersonID) error {
			profile, found, err := raw.PersonTx(ctx, tx, id)
			if err == nil && (!found || len(profile.Aliases) == 0) {
				err = fmt.Errorf("%s is not found", id)
			}
			return err
		},
	} {
		for step := 0; ; step++ {
			portfolio := fmt.Sprint(name, step)
			observe := func(bsuid, phone string) identity.PersonID {
				f, err := identity.Seen(1786000000, identity.Scope{Portfolio: portfolio}, identity.IDs{BSUID: bsuid, Phone: phone}, identity.Labels{})
				must(t, err)
				result, err := raw.Observe(ctx, f)
				if err != nil {
					t.Error(err)
					return identity.PersonID{}
				}
				return result.Persons[0]
			}
			observe("US.1", "")
			person := observe("", "16505550001") // created second, so the merge takes its id
			statements, merged := 0, make(chan struct{})
			var once sync.Once // the transaction may run again
			must(t, s.Update(ctx, func(tx identity.Tx) error {
				statements = 0
				return run(between{tx, func() {
					if statements++; statements != step+1 {
						return
					}
					once.Do(func() {
						go func() {
							defer close(merged)
							observe("US.1", "16505550001")
						}()
					})
					select {
					case <-merged:
					case <-time.After(50 * time.Millisecond): // the merge waits for this transaction
					}
				}}, person)
			}))
			if statements <= step {
				break
			}
			<-merged
			_, found, err := raw.Person(ctx, person)
			must(t, err)
			equal(t, name != "Forget", found)
		}
	}
}

// between calls a function before each statement.
type between struct {
	identity.Tx
	call func()
}

func (b between) Lookup(ctx context.Context, aliases []identity.Alias, rows []identity.AliasRow, cell *identity.Cell) error {
	b.call()
	return b.Tx.Lookup(ctx, aliases, rows, cell)
}

func (b between) Load(ctx context.Context, clusters []int64) (identity.Cluster, error) {
	b.call()
	return b.Tx.Load(ctx, clusters)
}

func (b between) Person(ctx context.Context, id identity.PersonID) (identity.PersonRow, bool, error) {
	b.call()
	return b.Tx.Person(ctx, id)
}

func (b between) Sequence(ctx context.Context, n int) (int64, error) {
	b.call()
	return b.Tx.Sequence(ctx, n)
}

func (b between) Write(ctx context.Context, batch *identity.Batch) error {
	b.call()
	return b.Tx.Write(ctx, batch)
}
