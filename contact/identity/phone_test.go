package identity

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPhoneForms(t *testing.T) {
	for received, value := range map[string]string{
		"541112345678":   "5491112345678", // Argentina without the 9
		"5491112345678":  "5491112345678",
		"551181234567":   "5511981234567", // Brazil without the ninth digit
		"551131234567":   "551131234567",  // a landline
		"5215512345678":  "525512345678",  // Mexico with the 1
		"525512345678":   "525512345678",
		"22508123456":    "2250708123456", // Côte d’Ivoire before 2021
		"2250708123456":  "2250708123456",
		"22997123456":    "2290197123456", // Benin before December 2024
		"16505551234":    "16505551234",
		"5":              "5", // too short for phone.ParseDigits
		"55":             "55",
		"05511812345678": "05511812345678",
	} {
		a, err := NewAlias(KindPhone, "", received)
		require.NoError(t, err, received)
		require.Equal(t, value, a.Value())
	}
	long := strings.Repeat("5", maxPhone)
	a, err := NewAlias(KindPhone, "", long)
	require.NoError(t, err)
	require.Equal(t, long, a.Value())

	for _, refused := range []string{"", "+54111234567", "54 111234567", "54-11123456", long + "5", "5491112345٣"} {
		_, err := NewAlias(KindPhone, "", refused)
		require.Error(t, err, refused)
	}
}
