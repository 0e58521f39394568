package limits

import (
	"cellserver/commands"
	"cellserver/internal/exact"
)

// CL.LIMIT key shows the limit that the server has found for CL.ENTER, and changes nothing.
//
// The reply is a map: algorithm, limit, inflight, base_us and latency_us, gradient, samples, drops, refused,
// window_end, partitions. base_us is the latency of the service without a queue, and latency_us the mean of
// the last window that counted, in microseconds. gradient says in thousandths how much of that was not
// waiting. samples, drops and refused count the open window, which ends at window_end, in Unix milliseconds.
// The open window is that of this node: on another node than the leader it is empty.
//
// partitions has a map for each partition: name, percent, inflight. A percent of 0 is a partition that
// nobody asks for any more. The reply is null if there is no such limit.
var _ = commands.Register(&commands.Command{
	Name: "cl.limit", Arity: 2, Flags: commands.ReadOnly | commands.Fast, Keys: commands.OneKey,
	Group: commands.GroupLimiter, Run: clLimit,
})

func clLimit(c *commands.Call) error {
	f := beginFlight(c)
	s, err := f.Show()
	if err != nil {
		return err
	}
	if !s.Exists {
		c.Out.Null()
		return nil
	}
	w, m := &f.Meter, mapReply{c, false}
	c.Out.Map(11)
	m.text("algorithm", s.Algorithm.String())
	m.number("limit", f.Limit())
	m.number("inflight", s.Calls)
	m.number("base_us", exact.CeilDiv(s.Base(), 1000))
	m.number("latency_us", exact.CeilDiv(w.Last, 1000))
	m.number("gradient", w.Gradient(&s.State))
	m.number("samples", int64(w.Samples))
	m.number("drops", int64(w.Drops))
	m.number("refused", int64(w.Refused))
	m.number("window_end", exact.CeilDiv(w.End, 1e6))
	m.name("partitions")
	c.Out.Array(len(s.Parts))
	for _, p := range s.Parts {
		c.Out.Map(3)
		m.text("name", p.Name)
		m.number("percent", p.Percent)
		m.number("inflight", p.Calls)
	}
	return nil
}
