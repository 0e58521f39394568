package limits

import (
	"fmt"
	"strings"
	"testing"

	"cellserver/internal/exact"
	"cellserver/server/servertest"

	"github.com/stretchr/testify/require"
)

// asking are calls of every limiter, with # for the quantity.
var asking = []string{
	"CL.THROTTLE k 15 30 60 #", "CL.PROBE k 15 30 60 #", "CL.CHARGE k 15 30 60 #", "GCRA k 15 30 60 TOKENS #",
	"THROTTLE k 16 30 60 #", "CL.WINDOW k 30 60 #", "CL.SLIDING k 30 60 #", "CL.LOG k 30 60 #", "CL.LOG k 30 60 # STRICT",
	"CL.PACE k 15 30 60 #", "CL.ACQUIRE k 5 60 me", "CL.MTHROTTLE 1 k 15 30 60 QUANTITY #",
	"CL.WINDOW k 30 60 # CHARGE", "CL.MWINDOW 1 k 30 60 #", "CL.MWINDOW 1 k 30 60 # CHARGE",
}

// sameQuantity are other words for the same call.
var sameQuantity = map[string]string{
	"THROTTLE k 16 30 60 #": "THROTTLE k 16 30 60 QUANTITY #", "CL.WINDOW k 30 60 #": "CL.WINDOW k 30 60 QUANTITY #",
	"CL.SLIDING k 30 60 #": "CL.SLIDING k 30 60 QUANTITY #", "CL.LOG k 30 60 #": "CL.LOG k 30 60 QUANTITY #",
	"CL.PACE k 15 30 60 #": "CL.PACE k 15 30 60 QUANTITY #", "CL.THROTTLE k 15 30 60 #": "CL.PROBE k 15 30 60 #",
}

// TestOptionsKeepTheDecision: PEEK, MS and the option QUANTITY never change what a limiter decides, whatever
// the quantity and the state of the key.
func TestOptionsKeepTheDecision(t *testing.T) {
	for _, before := range []string{"", "5", "16", "30"} {
		for _, quantity := range []string{"0", "1", "11", "15", "16", "17", "31", "99999999999", "9223372036854775807", "-1", "x"} {
			for _, line := range asking {
				ask := func(call string) any {
					h := servertest.New(t)
					h.At(1_790_000_000_000_000_000)
					if before != "" {
						h.Do(strings.ReplaceAll(line, "#", before))
						h.Advance(1_500_000_000)
					}
					return h.Do(strings.ReplaceAll(call, "#", quantity))
				}
				plain := ask(line)
				require.Equal(t, plain, ask(line+" PEEK"), "%s after %q: %s", line, before, quantity)
				require.Equal(t, plain, inSeconds(plain, ask(line+" MS")), "%s after %q: %s MS", line, before, quantity)
				require.Equal(t, plain, inSeconds(plain, ask(line+" MS PEEK")), "%s after %q: %s MS PEEK", line, before, quantity)
				if other := sameQuantity[line]; other != "" && before == "" && quantity != "x" {
					require.Equal(t, plain, ask(other), "%s: %s", other, quantity)
				}
			}
		}
	}
}

// inSeconds converts the times of a reply to seconds. The times of plain, the same reply in seconds, are
// other than those.
func inSeconds(plain, millis any) any {
	long, isList := plain.([]any)
	short, _ := millis.([]any)
	if !isList || len(long) != len(short) {
		return millis
	}
	converted := make([]any, len(short))
	for i := range short {
		converted[i] = short[i]
		if _, nested := short[i].([]any); nested {
			converted[i] = inSeconds(long[i], short[i])
		} else if ms, _ := short[i].(int64); i >= 3 && ms > 0 && fmt.Sprint(long[i]) != fmt.Sprint(ms) {
			converted[i] = exact.CeilDiv(ms, 1000)
		}
	}
	return converted
}
