package webhooknorm_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/phone"
	"github.com/hailmark/hailmark/webhooknorm"
)

// The business's number is nobody's in either of its forms, and a number's forms end in the same six
// digits.
func TestBusinessInAnotherForm(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 7))
	pairs := 0
	for range 100_000 {
		digits := fmt.Sprint(pick(r, []string{"55", "52", "521", "54", "549", "2250", "2290", "49"}), 1+r.IntN(9), 1_000_000+r.Int64N(9_000_000_000))
		n, err := phone.ParseDigits(digits)
		if err != nil {
			continue
		}
		forms := n.Forms()
		if len(forms) == 1 {
			continue
		}
		a, b := forms[0].String(), forms[1].String()
		require.Equal(t, a[len(a)-6:], b[len(b)-6:], digits)
		if r.IntN(2) == 0 {
			a, b = b, a
		}
		if pairs++; pairs > 500 {
			continue
		}
		for _, message := range []string{fmt.Sprintf(`{"from":%q,"id":"A","type":"text","text":{"body":"Hi"}}`, a), `{"id":"A","type":"text","text":{"body":"Hi"}}`} {
			w, err := webhooknorm.Read(fmt.Appendf(nil, `{"entry":[{"changes":[{"field":"messages","value":{"metadata":{"display_phone_number":%q,"phone_number_id":"106"},"contacts":[{"wa_id":%q}],"messages":[%s]}}]}]}`, b, a, message))
			require.NoError(t, err)
			require.Empty(t, w.Events[0].Phone, "%s %s", a, b)
			_, ok := w.Events[0].Reply()
			require.False(t, ok, "%s %s", a, b)
		}
	}
	require.Greater(t, pairs, 500)
}
