package limits

import (
	"strings"
	"testing"

	"cellserver/resp/resptest"
	"cellserver/server/servertest"
)

// BenchmarkEnterLeave compares the processor time of CL.ENTER and CL.LEAVE with that of CL.ACQUIRE and
// CL.RELEASE, in pipelines of 16 commands. Another holder has one permit.
func BenchmarkEnterLeave(b *testing.B) {
	for _, c := range []struct{ name, other, first, last string }{
		{"acquire", "CL.ACQUIRE KEY 20 3600 another", "CL.ACQUIRE KEY 20 60 me", "CL.RELEASE KEY me"},
		{"enter", "CL.ENTER KEY 3600 another", "CL.ENTER KEY 60 me", "CL.LEAVE KEY me 0.02"},
		{
			"options", "CL.ENTER KEY 3600 another", "CL.ENTER KEY 60 me BETWEEN 1 500 START 50",
			"CL.LEAVE KEY me 0.02 OK",
		},
	} {
		b.Run(c.name, func(b *testing.B) {
			h := servertest.New(b)
			servertest.Exchange(b, h.Session, request(c.other))
			var batch []byte
			for range 8 {
				batch = append(append(batch, request(c.first)...), request(c.last)...)
			}
			b.ReportAllocs()
			for b.Loop() {
				h.Clock.Advance(16_000)
				servertest.Exchange(b, h.Session, batch)
			}
		})
	}
}

// request returns the bytes of a command.
func request(line string) []byte {
	var args []any
	for _, word := range strings.Fields(strings.ReplaceAll(line, "KEY", "permits:000000000001")) {
		args = append(args, word)
	}
	return resptest.Command(args...)
}
