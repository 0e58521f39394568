package script_test

import (
	"fmt"
	"testing"

	"cellserver/resp"
	"cellserver/script"
	"cellserver/script/scripttest"
)

// A counter is a caller whose answers cost nothing.
type counter struct {
	n     int64
	reply []byte
}

const aNumber = "$9\r\n295000000\r\n"

func (c *counter) Call(args [][]byte, _ int) (reply []byte, stop error) {
	c.reply = c.reply[:0]
	switch string(args[0]) {
	case "TIME":
		c.reply = append(c.reply, "*2\r\n"+aNumber+aNumber...)
	case "GET":
		c.reply = append(c.reply, aNumber...)
	default:
		c.n++
		c.reply = fmt.Appendf(c.reply, ":%d\r\n", c.n)
	}
	return c.reply, nil
}
func (c *counter) Log(int, string)                       {}
func (c *counter) Allows([][]byte) (allowed, known bool) { return true, true }

// BenchmarkScripts runs scripts as limiters have them, with commands that cost nothing.
func BenchmarkScripts(b *testing.B) {
	all := append([]scripttest.Limiter{
		{Library: "constant", Source: "return 1"},
		{Library: "loop", Source: "local s = 0 for i = 1, 1000 do s = s + i % 7 end return s"},
	}, scripttest.Limiters...)
	for _, l := range all {
		b.Run(l.Library, func(b *testing.B) {
			e := newEngine()
			s, err := e.Compile([]byte(l.Source))
			if err != nil {
				b.Fatal(err)
			}
			var out resp.Writer
			r := script.Run{Keys: [][]byte{[]byte("key"), []byte("other")}, Caller: &counter{}, Out: &out}
			for _, arg := range l.Args {
				r.Args = append(r.Args, []byte(arg))
			}
			b.ReportAllocs()
			for b.Loop() {
				out.Reset()
				if failure := e.Run(s, r); failure != nil {
					b.Fatal(failure.Text)
				}
			}
		})
	}
}
