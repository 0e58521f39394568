package commands

import (
	"fmt"
	"strings"
)

// CLIENT TRACKING makes the server say which keys a client must drop from its cache:
// those it read (tracking.go), or with BCAST all that begin with a prefix. CACHING
// chooses the next command in the modes OPTIN and OPTOUT. Source of the protocol:
// https://redis.io/docs/latest/develop/reference/client-side-caching/
var (
	clientTracking = &Command{
		Name: "tracking", Arity: -3, Flags: connectionFlags, Since: "6.0.0",
		Summary:    "Enable or disable server assisted client side caching support",
		Usage:      "ON | OFF [REDIRECT client-id] [PREFIX prefix [PREFIX prefix ...]] [BCAST] [OPTIN] [OPTOUT] [NOLOOP]",
		Complexity: "O(1). Some options may introduce additional complexity.",
		Help: []string{"TRACKING (ON|OFF) [REDIRECT <id>] [BCAST] [PREFIX <prefix> [...]]", "         [OPTIN] [OPTOUT] [NOLOOP]",
			"    Control server assisted client side caching."},
		Run: setTracking,
	}
	clientCaching = &Command{
		Name: "caching", Arity: 3, Flags: connectionFlags, Since: "6.0.0",
		Summary: "Instruct the server about tracking or not keys in the next request", Usage: "YES | NO", Complexity: "O(1)",
		Help: []string{"CACHING (YES|NO)", "    Enable/disable tracking of the keys for next command in OPTIN/OPTOUT modes."},
		Run:  setCaching,
	}
	clientGetRedir = &Command{
		Name: "getredir", Arity: 2, Flags: connectionFlags, Since: "6.0.0",
		Summary: "Get tracking notifications redirection client ID if any", Complexity: "O(1)",
		Help: []string{"GETREDIR", "    Return the client ID we are redirecting to when tracking is enabled."},
		Run: func(c *Call) error {
			c.Out.Int(c.Client.track.target())
			return nil
		},
	}
	clientTrackingInfo = &Command{
		Name: "trackinginfo", Arity: 2, Flags: connectionFlags, Since: "6.2.0",
		Summary: "Return information about server assisted client side caching for the current connection", Complexity: "O(1)",
		Help: []string{"TRACKINGINFO", "    Report tracking status for the current connection."},
		Run:  trackingInfo,
	}
)

const (
	errRedirectTwice Error = "ERR A client can only redirect to a single other client"
	errRedirectGone  Error = "ERR The client ID you want redirect to does not exist"
	errPrefixBcast   Error = "ERR PREFIX option requires BCAST mode to be enabled"
	errSwitchBcast   Error = "ERR You can't switch BCAST mode on/off before disabling tracking for this client, " +
		"and then re-enabling it with a different mode."
	errOptBcast  Error = "ERR OPTIN and OPTOUT are not compatible with BCAST"
	errOptBoth   Error = "ERR You can't specify both OPTIN mode and OPTOUT mode"
	errSwitchOpt Error = "ERR You can't switch OPTIN/OPTOUT mode before disabling tracking for this client, " +
		"and then re-enabling it with a different mode."
	errCachingOff Error = "ERR CLIENT CACHING can be called only when the client is in tracking mode with OPTIN or OPTOUT mode enabled"
	errCachingYes Error = "ERR CLIENT CACHING YES is only valid when tracking is enabled in OPTIN mode."
	errCachingNo  Error = "ERR CLIENT CACHING NO is only valid when tracking is enabled in OPTOUT mode."
)

func setTracking(c *Call) error {
	wish, err := c.trackingOptions()
	if err != nil {
		return err
	}
	on, err := c.onOff(2)
	if err != nil {
		return err
	}
	if !on {
		c.Server.tracking.stop(c.Client)
		return replyOK(c)
	}
	if err := c.Client.track.allows(&wish); err != nil {
		return err
	}
	c.Server.tracking.start(c.Client, &wish)
	return replyOK(c)
}

func (c *Call) trackingOptions() (o trackOptions, err error) {
	args := c.Args[3:]
	for i := 0; i < len(args) && err == nil; i++ {
		more := i+1 < len(args)
		switch {
		case is(args[i], "redirect") && more:
			i++
			err = c.redirectTo(&o, args[i])
		case is(args[i], "prefix") && more:
			i++
			o.prefixes = append(o.prefixes, string(args[i]))
		case is(args[i], "bcast"):
			o.bcast = true
		case is(args[i], "optin"):
			o.optIn = true
		case is(args[i], "optout"):
			o.optOut = true
		case is(args[i], "noloop"):
			o.noLoop = true
		default:
			err = errSyntax
		}
	}
	return o, err
}

// redirectTo reads the id of a client, which must be there now but may go later.
func (c *Call) redirectTo(o *trackOptions, arg []byte) error {
	if o.redirect != 0 {
		return errRedirectTwice
	}
	id, ok := parseInt(arg)
	if !ok {
		return errNotInteger
	}
	if c.Server.client(id) == nil {
		return errRedirectGone
	}
	o.redirect = id
	return nil
}

// allows says whether the client may go on with other options.
func (t *track) allows(o *trackOptions) error {
	switch {
	case !o.bcast && len(o.prefixes) > 0:
		return errPrefixBcast
	case t.on && t.bcast != o.bcast:
		return errSwitchBcast
	case o.bcast && (o.optIn || o.optOut):
		return errOptBcast
	case o.optIn && o.optOut:
		return errOptBoth
	case t.on && (o.optIn && t.optOut || o.optOut && t.optIn):
		return errSwitchOpt
	}
	return t.overlap(o.prefixes)
}

// overlap refuses prefixes of which one begins with another: a key could match both.
func (t *track) overlap(prefixes []string) error {
	for i, p := range prefixes {
		for _, old := range t.prefixes {
			if overlaps(p, old) {
				return overlapError(p, "an existing", old)
			}
		}
		for _, q := range prefixes[i+1:] {
			if overlaps(p, q) {
				return overlapError(p, "another provided", q)
			}
		}
	}
	return nil
}

func overlaps(p, q string) bool { return strings.HasPrefix(p, q) || strings.HasPrefix(q, p) }

func overlapError(p, which, q string) error {
	return Error(fmt.Sprintf("ERR Prefix '%s' overlaps with %s prefix '%s'. Prefixes for a single client must not overlap.", p, which, q))
}

func setCaching(c *Call) error {
	t := &c.Client.track
	yes, no := is(c.Args[2], "yes"), is(c.Args[2], "no")
	switch {
	case !t.on:
		return errCachingOff
	case yes && !t.optIn:
		return errCachingYes
	case no && !t.optOut:
		return errCachingNo
	case !yes && !no:
		return errSyntax
	}
	t.caching = true
	return replyOK(c)
}

func trackingInfo(c *Call) error {
	t := &c.Client.track
	var flags []string
	for _, f := range []struct {
		name string
		on   bool
	}{
		{"off", !t.on}, {"on", t.on}, {"bcast", t.bcast}, {"optin", t.optIn}, {"caching-yes", t.optIn && t.caching},
		{"optout", t.optOut}, {"caching-no", t.optOut && t.caching}, {"noloop", t.noLoop}, {"broken_redirect", t.broken.Load()},
	} {
		if f.on {
			flags = append(flags, f.name)
		}
	}
	w := c.Out
	w.Map(3)
	w.BulkString("flags")
	stringSet(w, flags)
	number(w, "redirect", t.target())
	w.BulkString("prefixes")
	stringArray(w, t.prefixes)
	return nil
}
