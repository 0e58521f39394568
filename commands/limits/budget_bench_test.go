package limits

import (
	"fmt"
	"strings"
	"testing"

	"cellserver/limiters/rules"
	"cellserver/resp/resptest"
	"cellserver/server/servertest"
)

// BenchmarkBudgets measures what rules with scopes and reservations cost beside CL.THROTTLE: one operation is a pipeline of 16
// requests, of 32 for a reservation with its settlement. Sockets are not part of it.
func BenchmarkBudgets(b *testing.B) {
	for _, c := range []struct {
		name  string
		lines func(key, id int) []string
	}{
		{"throttle", func(key, _ int) []string { return []string{fmt.Sprint("CL.THROTTLE user:", key, " 1000000 30 60")} }},
		{"lease", func(key, _ int) []string {
			return []string{fmt.Sprint("CL.LEASE 1 1000 CL.THROTTLE user:", key, " 1000000 30 60")}
		}},
		{"check", func(key, _ int) []string { return []string{fmt.Sprint("CL.CHECK one user:", key)} }},
		{"check-on-trial", func(key, _ int) []string { return []string{fmt.Sprint("CL.CHECK tried user:", key)} }},
		{"scopes", func(key, _ int) []string {
			return []string{fmt.Sprint("CL.CHECK three org:", key%7, " team:", key%50, " user:", key, " 12")}
		}},
		{"reserve+settle", func(key, id int) []string {
			return []string{fmt.Sprint("CL.RESERVE one user:", key, " 12 request-", id, " 0.05"), fmt.Sprint("CL.SETTLE one user:", key, " request-", id, " 9")}
		}},
	} {
		b.Run(c.name, func(b *testing.B) {
			h := servertest.New(b)
			h.Do("CL.RULE SET one CL.THROTTLE 1000000 30 60")
			h.Do("CL.RULE SET tried CL.THROTTLE 1000000 30 60")
			h.Do("CL.RULE TRY tried CL.WINDOW 1 60")
			h.Do("CL.RULE SET three SCOPE org CL.WINDOW 50000000000 2592000 AND SCOPE team CL.WINDOW 20000000000 86400 ALIGN AND SCOPE user CL.THROTTLE 1000000 30 60")
			var sent [][]byte
			for p := range 256 {
				var pipeline []byte
				for i := range 16 {
					for _, line := range c.lines((p*16+i)*7919%10_000, p*16+i) {
						var words []any
						for _, word := range strings.Fields(line) {
							words = append(words, word)
						}
						pipeline = append(pipeline, resptest.Command(words...)...)
					}
				}
				sent = append(sent, pipeline)
			}
			for _, p := range sent {
				h.Clock.Advance(1e6)
				servertest.Exchange(b, h.Session, p)
			}
			b.ReportAllocs()
			n := 0
			for b.Loop() {
				h.Clock.Advance(1e6)
				servertest.Exchange(b, h.Session, sent[n%len(sent)])
				n++
			}
		})
	}
}

// BenchmarkReleases measures the request that gives back all releases that a key can have.
func BenchmarkReleases(b *testing.B) {
	for _, limiter := range []string{"CL.THROTTLE 99999 100000 3600", "CL.WINDOW 100000 3600", "CL.SLIDING 100000 3600", "CL.LOG 100000 3600"} {
		b.Run(strings.Fields(limiter)[0], func(b *testing.B) {
			h := servertest.New(b)
			h.Do("CL.RULE SET r " + limiter)
			for n := 0; b.Loop(); n++ {
				b.StopTimer()
				for i := range rules.MaxReleases { // a log refuses some of them
					h.Clock.Advance(1000)
					h.Do(fmt.Sprint("CL.RESERVE r k 1 ", n, "-", i, " 1 RELEASE"))
				}
				h.Clock.Advance(2e9)
				b.StartTimer()
				h.Do("CL.CHECK r k 0")
			}
		})
	}
}
