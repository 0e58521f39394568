package limits

import (
	"testing"
	"time"

	"cellserver/server/servertest"

	"github.com/stretchr/testify/require"
)

// TestSettleWithoutScope: the rule has another scope while a reservation is settled. The scope that is gone gives nothing back
// once the rule has it again.
func TestSettleWithoutScope(t *testing.T) {
	const both, other = "SCOPE org CL.WINDOW 100 3600 AND SCOPE user CL.WINDOW 70 3600", "SCOPE team CL.WINDOW 100 3600 AND SCOPE user CL.WINDOW 70 3600"
	for _, keys := range []struct{ org, state, releases string }{
		{"acme", "r@org:{acme}:window", "r@org:{acme}:release"},
		{"{acme}1", "{acme}1:r@org:window", "{acme}1:r@org:release"},
		{"}{", "}{:r@org:window", "}{:r@org:release"},
	} {
		h := servertest.New(t)
		h.At(1_790_000_040_000_000_000)
		h.Do("CL.RULE SET r " + both)
		h.Do("CL.RESERVE r " + keys.org + " ann 60 a 30 RELEASE")
		h.Do("CL.RESERVE r " + keys.org + " bob 5 b 30 RELEASE")
		h.Do("CL.RULE SET r " + other)
		h.Want("CL.SETTLE r "+keys.org+" ann a 50", []any{0, 70, 20, -1, 3600})
		h.Want("ZCARD "+keys.releases, 1)
		h.Do("CL.RULE SET r " + both)
		h.Advance(30 * time.Second)
		h.Want("CL.CHECK r "+keys.org+" ann 0", []any{0, 70, 20, -1, 3570})
		h.Want("GET "+keys.state, "60")
		h.Want("EXISTS "+keys.releases, 0)
	}
}

// TestSettleWithMovedScopes: the scopes change places, so each key is that of another scope.
func TestSettleWithMovedScopes(t *testing.T) {
	h := servertest.New(t)
	h.At(1_790_000_040_000_000_000)
	h.Do("CL.RULE SET r SCOPE org CL.WINDOW 100 3600 AND SCOPE user CL.WINDOW 70 3600")
	h.Do("CL.RESERVE r acme ann 60 a 30 RELEASE")
	h.Do("CL.RESERVE r same same 7 b 30 RELEASE")
	h.Do("CL.RULE SET r SCOPE user CL.WINDOW 70 3600 AND SCOPE org CL.WINDOW 100 3600")
	h.Do("CL.SETTLE r acme ann a 60")
	h.Do("CL.SETTLE r same same b 7")
	h.Want("EXISTS r@org:{acme}:release r@user:{ann}:release r@org:{same}:release r@user:{same}:release", 0)
	h.Advance(30 * time.Second)
	h.Do("CL.CHECK r ann acme 0")
	h.Want("MGET r@org:{acme}:window r@user:{ann}:window", []string{"60", "60"})
}

// TestSettleInSetOfAnotherType: a client wrote something else to the key of the releases of a scope that is gone.
func TestSettleInSetOfAnotherType(t *testing.T) {
	h := servertest.New(t)
	h.Do("CL.RULE SET r SCOPE org CL.WINDOW 100 3600")
	h.Do("CL.RESERVE r acme 60 a 30 RELEASE")
	h.Do("CL.RULE SET r SCOPE team CL.WINDOW 100 3600")
	h.Do("SET r@org:{acme}:release text")
	require.IsType(t, []any{}, h.Do("CL.SETTLE r acme a 50"))
	h.Want("GET r@org:{acme}:release", "text")
}
