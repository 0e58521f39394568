package strings

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"cellserver/commands"
	"cellserver/internal/randtest"
	"cellserver/resp/resptest"
	"cellserver/server/servertest"

	"github.com/stretchr/testify/require"
)

func TestIncrByFloat(t *testing.T) {
	h := servertest.New(t)
	h.Want("INCRBYFLOAT k 10.5", "10.5")
	h.Want("INCRBYFLOAT k 0.1", "10.6")
	h.Want("INCRBYFLOAT k -5.6", "5")
	h.Want("INCR k", 6)
	h.Want("INCRBYFLOAT k 5.0e3", "5006")
	h.Want("SET k 3 PX 1000", ok)
	h.Want("INCRBYFLOAT k 1.25", "4.25")
	h.Want("PTTL k", 1000)
	h.Want("SET k 1.797e4000", ok)
	h.Want("INCRBYFLOAT k abc", commands.ErrNotFloat)
	h.Want("SET k 1e4932", ok)
	h.Want("INCRBYFLOAT k 1e4932", errNaNOrInf)
	h.Want("INCRBYFLOAT k inf", errNaNOrInf)
	h.Want("GET k", "1e4932")
	h.Want(`SET k " 1"`, ok)
	h.Want("INCRBYFLOAT k 1", commands.ErrNotFloat)
	h.SortedSet("z", "m")
	h.Want("INCRBYFLOAT z abc", commands.ErrWrongType)
}

// TestIncrByFloatLikeRedis compares with Redis, on numbers of every size and form.
func TestIncrByFloatLikeRedis(t *testing.T) {
	h := servertest.New(t)
	redis := resptest.Dial(t, resptest.StartRedis(t))
	rng := rand.New(randtest.Source(t))
	for range 2000 {
		a, b := randomNumber(rng), randomNumber(rng)
		for _, args := range [][]any{{"SET", "k", a}, {"INCRBYFLOAT", "k", b}, {"GET", "k"}} {
			require.Equal(t, redis.Do(args...), h.Do(args...), "SET k %s, INCRBYFLOAT k %s", a, b)
		}
	}
}

func randomNumber(rng *rand.Rand) string {
	digits := strconv.FormatUint(rng.Uint64()>>rng.IntN(64), 10)
	sign := [...]string{"", "-", "+"}[rng.IntN(3)]
	switch rng.IntN(8) {
	case 0:
		return sign + digits
	case 1:
		return sign + "0." + strings.Repeat("0", rng.IntN(20)) + digits
	case 2:
		return sign + digits + "." + digits
	case 3:
		return fmt.Sprintf("%s%se%d", sign, digits, rng.IntN(60)-40)
	case 4:
		return fmt.Sprintf("%s%se%d", sign, digits, rng.IntN(10400)-5200)
	case 5:
		return fmt.Sprintf("%s0x%x.%xp%d", sign, rng.Uint64(), rng.Uint32(), rng.IntN(200)-100)
	case 6:
		return sign + [...]string{"inf", "nan", "infinity", "1e", "0x", "", " 1", "1..", ".", "1.e1", "0x.p1", "infin"}[rng.IntN(12)]
	}
	return strconv.FormatFloat(rng.NormFloat64(), 'g', -1, 64)
}
