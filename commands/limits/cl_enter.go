package limits

import (
	"cellserver/commands"
	"cellserver/limiters/flight"
)

// CL.ENTER key lease holder [AIMD latency | VEGAS | GRADIENT2 | GRADIENT] [BETWEEN least most] [START n]
// [WINDOW seconds] [TOLERANCE percent] [PARTITION name OF name percent [name percent]…] [UPTO percent]
// [MS] [PEEK] asks whether one more call of a service may begin. It is CL.ACQUIRE with a limit that the
// server finds: from the latencies and drops that the callers report with CL.LEAVE.
//
// The limit changes once a window. GRADIENT compares the latency with that of a service without a queue.
// A caller with UPTO is refused as soon as this percentage of the limit is under way, so it leaves room for
// others. A partition may use its percentage of the limit, also if others have filled the limit.
//
// The reply is the reply of all limiters.
//
// The holders are in a sorted set, as those of CL.ACQUIRE, and those of a partition in the set {key}:name.
// The string {key}:adaptive has the state of the algorithm. A key with braces has key:name and
// key:adaptive. The open window is in the memory of this node only.
var _ = commands.Register(&commands.Command{
	Name: "cl.enter", Arity: -4, Flags: commands.Write | commands.DenyOOM | commands.Fast,
	Keys: commands.UpdatedKey, Group: commands.GroupLimiter,
	Summary: "Begins a call of a service, if the limit that the server finds has room.",
	Usage: "key lease holder [AIMD latency | VEGAS | GRADIENT2 | GRADIENT] [BETWEEN least most] [START n] " +
		"[WINDOW seconds] [TOLERANCE percent] [PARTITION name OF name percent [name percent ...]] " +
		"[UPTO percent] [MS] [PEEK]",
	Complexity: "O(log(N)) where N is the number of calls under way",
	Run:        clEnter,
})

// openFlight finds the state and the meter of a key.
func openFlight(c *commands.Call, f *flight.Flight, key []byte) error {
	err := f.Open(c.Tx, key, c.Now)
	if err == nil {
		f.Meter, f.Place = c.Server.Stats.Meters.Get(c.Tx.DB(), key, f.Place)
	}
	return err
}

func clEnter(c *commands.Call) error {
	scratch, f, key := c.Conn.Scratch.Limiter(), c.Conn.Scratch.Flight(), c.Args[1]
	args, a := &scratch.Args, &scratch.Answer
	args.Begin(c.Cmd.Name, c.Args[2:])
	r, err := flight.ReadEnter(args)
	if err != nil {
		return args.Explain(err)
	}
	if err = openFlight(c, f, key); err != nil {
		return err
	}
	if err = f.Enter(&r, a); err != nil {
		return args.Explain(err)
	}
	if !r.Looks {
		keepWindow(c, f)
	}
	if r.Looks || a.Limited {
		count(c, key, a.Limited, r.Looks)
	}
	replyAnswer(c, a, r.Millis)
	return nil
}

// keepWindow keeps the window of a limit, and publishes that the limit has moved by more than a tenth.
func keepWindow(c *commands.Call, f *flight.Flight) {
	if f.Meter.End == 0 {
		return
	}
	ended := &f.Ended
	c.Server.Stats.Meters.Put(c.Tx.DB(), c.Args[1], f.Place, &f.Meter, ended)
	if moved := ended.Limit - ended.Before; 10*max(moved, -moved) > ended.Before {
		c.Notify(commands.GenericEvents, "adaptive", c.Args[1])
	}
}
