package limits

import (
	"fmt"
	"strings"
	"testing"

	"cellserver/resp/resptest"
	"cellserver/server/servertest"
)

// BenchmarkEnterLeave compares the processor time of CL.ENTER and CL.LEAVE with that of CL.ACQUIRE and CL.RELEASE, in pipelines
// of 16 commands.
func BenchmarkEnterLeave(b *testing.B) {
	for _, c := range []struct{ name, first, last string }{
		{"acquire", "CL.ACQUIRE k 1000 60 a%d", "CL.RELEASE k a%d"},
		{"enter", "CL.ENTER k 60 a%d", "CL.LEAVE k a%d 0.02"},
		{"options", "CL.ENTER k 60 a%d BETWEEN 1 500 START 50", "CL.LEAVE k a%d 0.02 OK"},
	} {
		b.Run(c.name, func(b *testing.B) {
			h := servertest.New(b)
			var batch []byte
			for _, line := range []string{c.first, c.last} {
				for i := range 8 {
					batch = append(batch, request(fmt.Sprintf(line, i))...)
				}
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
	for _, word := range strings.Fields(line) {
		args = append(args, word)
	}
	return resptest.Command(args...)
}
