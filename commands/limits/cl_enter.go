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
	Keys: commands.UpdatedKey, Group: commands.GroupLimiter, Run: clEnter,
})

// beginFlight begins a request to the adaptive limit of a key, and reads its open window.
func beginFlight(c *commands.Call) *flight.Flight {
	f, key := c.Conn.Scratch.Flight(), c.Args[1]
	f.Begin(c.Tx, key, c.Now)
	c.Server.Stats.Meters.Get(&f.Meter, c.Tx.DB(), key, &f.Place)
	return f
}

func clEnter(c *commands.Call) error {
	scratch := c.Conn.Scratch.Limiter()
	args, a := &scratch.Args, &scratch.Answer
	args.Begin(c.Cmd.Name, c.Args[2:])
	var r flight.Entering
	if err := r.Read(args); err != nil {
		return args.Explain(err)
	}
	f := beginFlight(c)
	if err := f.Enter(&r, a); err != nil {
		return args.Explain(err)
	}
	if !r.Looks {
		keepWindow(c, f)
	}
	if r.Looks || a.Limited {
		count(c, c.Args[1], a.Limited, r.Looks)
	}
	replyAnswer(c, a, r.Millis)
	return nil
}

// keepWindow keeps the window of a limit, and publishes that the limit has moved by more than a tenth.
func keepWindow(c *commands.Call, f *flight.Flight) {
	if f.Meter.End == 0 {
		return
	}
	c.Server.Stats.Meters.Put(&f.Meter, c.Tx.DB(), c.Args[1], &f.Place, &f.Ended)
	if f.Moved() {
		c.Notify(commands.GenericEvents, "adaptive", c.Args[1])
	}
}
