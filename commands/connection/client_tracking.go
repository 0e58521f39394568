package connection

import (
	"fmt"
	"slices"
	"strings"

	"cellserver/commands"
)

// CLIENT TRACKING makes the server send invalidation messages: the keys that a client must drop
// from its cache. The server remembers the keys that the client reads. With BCAST it sends all
// changed keys with a prefix instead.
//
// In the modes OPTIN and OPTOUT, CLIENT CACHING chooses whether the server remembers the reads of
// the next command.
//
// Source: https://redis.io/docs/latest/develop/reference/client-side-caching/
var (
	clientTracking = &commands.Command{
		Name: "tracking", Arity: -3, Flags: commands.ConnectionFlags, Run: setTracking,
	}
	clientCaching = &commands.Command{
		Name: "caching", Arity: 3, Flags: commands.ConnectionFlags, Run: setCaching,
	}
	clientGetRedir = &commands.Command{
		Name: "getredir", Arity: 2, Flags: commands.ConnectionFlags,
		Run: func(c *commands.Call) error {
			c.Out.Int(c.Conn.Tracking.Target())
			return nil
		},
	}
	clientTrackingInfo = &commands.Command{
		Name: "trackinginfo", Arity: 2, Flags: commands.ConnectionFlags, Run: trackingInfo,
	}
)

const (
	errRedirectTwice commands.Error = "ERR A client can only redirect to a single other client"
	errRedirectGone  commands.Error = "ERR The client ID you want redirect to does not exist"
	errPrefixBcast   commands.Error = "ERR PREFIX option requires BCAST mode to be enabled"
	errSwitchBcast   commands.Error = "ERR You can't switch BCAST mode on/off before disabling " +
		"tracking for this client, " +
		"and then re-enabling it with a different mode."
	errOptBcast  commands.Error = "ERR OPTIN and OPTOUT are not compatible with BCAST"
	errOptBoth   commands.Error = "ERR You can't specify both OPTIN mode and OPTOUT mode"
	errSwitchOpt commands.Error = "ERR You can't switch OPTIN/OPTOUT mode before " +
		"disabling tracking for this client, " +
		"and then re-enabling it with a different mode."
	errCachingOff commands.Error = "ERR CLIENT CACHING can be called only when the client is in " +
		"tracking mode with OPTIN or OPTOUT mode enabled"
	errCachingYes commands.Error = "ERR CLIENT CACHING YES is only valid when tracking is enabled in OPTIN mode."
	errCachingNo  commands.Error = "ERR CLIENT CACHING NO is only valid when tracking is enabled in OPTOUT mode."
)

func setTracking(c *commands.Call) error {
	options, err := readTrackingOptions(c)
	if err != nil {
		return err
	}
	on, err := c.OnOff(2)
	if err != nil {
		return err
	}
	if !on {
		c.Server.Tracker.Stop(c.Conn)
		return commands.ReplyOK(c)
	}
	if err := checkOptions(&c.Conn.Tracking, &options); err != nil {
		return err
	}
	c.Server.Tracker.Start(c.Conn, &options)
	if !c.MayHold("prefixes of tracking", bytesOf(c.Conn.Tracking.Prefixes)) {
		c.Out.OK() // EXEC has promised a reply of each command
		return commands.CloseConnection
	}
	return commands.ReplyOK(c)
}

// bytesOf returns about how much memory the prefixes of a client take, in bytes.
func bytesOf(prefixes []string) (n int) {
	const each = 128 // without its text
	for _, p := range prefixes {
		n += each + len(p)
	}
	return n
}

func readTrackingOptions(c *commands.Call) (o commands.TrackingOptions, err error) {
	args := c.Args[3:]
	for i := 0; i < len(args) && err == nil; i++ {
		more := i+1 < len(args)
		switch {
		case commands.Is(args[i], "redirect") && more:
			i++
			err = redirectTo(c, &o, args[i])
		case commands.Is(args[i], "prefix") && more:
			i++
			o.Prefixes = append(o.Prefixes, string(args[i]))
		case commands.Is(args[i], "bcast"):
			o.Bcast = true
		case commands.Is(args[i], "optin"):
			o.OptIn = true
		case commands.Is(args[i], "optout"):
			o.OptOut = true
		case commands.Is(args[i], "noloop"):
			o.NoLoop = true
		default:
			err = commands.ErrSyntax
		}
	}
	return o, err
}

// redirectTo parses the id of a client. The client must be connected now; it may disconnect later.
func redirectTo(c *commands.Call, o *commands.TrackingOptions, arg []byte) error {
	if o.Redirect != 0 {
		return errRedirectTwice
	}
	id, ok := commands.ParseInt(arg)
	if !ok {
		return commands.ErrNotInteger
	}
	if _, found := c.Server.Clients.Find(id); !found {
		return errRedirectGone
	}
	o.Redirect = id
	return nil
}

// checkOptions returns an error if options contradict each other or the options in force.
func checkOptions(t *commands.Tracking, o *commands.TrackingOptions) error {
	switch {
	case !o.Bcast && len(o.Prefixes) > 0:
		return errPrefixBcast
	case t.On && t.Bcast != o.Bcast:
		return errSwitchBcast
	case o.Bcast && (o.OptIn || o.OptOut):
		return errOptBcast
	case o.OptIn && o.OptOut:
		return errOptBoth
	case t.On && (o.OptIn && t.OptOut || o.OptOut && t.OptIn):
		return errSwitchOpt
	}
	return checkOverlap(t, o.Prefixes)
}

// checkOverlap refuses a prefix that begins with another prefix, because a key could match both. As
// in Redis, the error names the first such prefix. For n prefixes it takes O(n log n) time.
func checkOverlap(t *commands.Tracking, prefixes []string) error {
	first := firstOverlap(prefixes)
	for _, p := range prefixes[:min(first+1, len(prefixes))] {
		if old, overlaps := overlapIn(t.Prefixes, p); overlaps {
			return overlapError(p, "an existing", old)
		}
	}
	if first == len(prefixes) {
		return nil
	}
	p, others := prefixes[first], prefixes[first+1:]
	other := slices.IndexFunc(others, func(q string) bool { return overlaps(p, q) })
	return overlapError(p, "another provided", others[other])
}

// firstOverlap returns the index of the first prefix that overlaps with another one, or the number
// of prefixes.
func firstOverlap(prefixes []string) int {
	order := make([]int, len(prefixes))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return strings.Compare(prefixes[a], prefixes[b]) })
	first, shortest := len(prefixes), 0
	for k, i := range order {
		// In this order, all prefixes that begin with the shortest one follow it.
		if k > 0 && strings.HasPrefix(prefixes[i], prefixes[shortest]) {
			first = min(first, i, shortest)
		} else {
			shortest = i
		}
	}
	return first
}

// overlapIn returns the first of the prefixes in force that overlaps with p. They are sorted, and
// only the empty prefix can overlap with another one. So overlapIn compares p with the empty prefix
// and with its two neighbours.
func overlapIn(inForce []string, p string) (old string, found bool) {
	if len(inForce) == 0 {
		return "", false
	}
	i, _ := slices.BinarySearch(inForce, p)
	for _, k := range []int{0, i - 1, i} {
		if k >= 0 && k < len(inForce) && overlaps(p, inForce[k]) {
			return inForce[k], true
		}
	}
	return "", false
}

func overlaps(p, q string) bool { return strings.HasPrefix(p, q) || strings.HasPrefix(q, p) }

func overlapError(p, which, q string) error {
	return commands.Error(fmt.Sprintf("ERR Prefix '%s' overlaps with %s prefix '%s'. Prefixes for a single client must not overlap.", p, which, q))
}

func setCaching(c *commands.Call) error {
	t := &c.Conn.Tracking
	yes, no := commands.Is(c.Args[2], "yes"), commands.Is(c.Args[2], "no")
	switch {
	case !t.On:
		return errCachingOff
	case yes && !t.OptIn:
		return errCachingYes
	case no && !t.OptOut:
		return errCachingNo
	case !yes && !no:
		return commands.ErrSyntax
	}
	t.Caching = true
	return commands.ReplyOK(c)
}

func trackingInfo(c *commands.Call) error {
	t := &c.Conn.Tracking
	var flags []string
	for _, f := range []struct {
		name string
		on   bool
	}{
		{"off", !t.On}, {"on", t.On}, {"bcast", t.Bcast}, {"optin", t.OptIn}, {"caching-yes", t.OptIn && t.Caching},
		{"optout", t.OptOut}, {"caching-no", t.OptOut && t.Caching}, {"noloop", t.NoLoop}, {"broken_redirect", t.Broken.Load()},
	} {
		if f.on {
			flags = append(flags, f.name)
		}
	}
	w := c.Out
	w.Map(3)
	w.BulkString("flags")
	commands.StringSet(w, flags)
	commands.Number(w, "redirect", t.Target())
	w.BulkString("prefixes")
	commands.StringArray(w, t.Prefixes)
	return nil
}
