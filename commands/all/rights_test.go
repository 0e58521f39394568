package all_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"cellserver/commands"
	"cellserver/resp/resptest"
	"cellserver/server/servertest"

	"github.com/stretchr/testify/require"
)

// callOf returns a call of a command with as many words as it needs. Its keys are key, its channels ch, and counts of keys 1.
func callOf(cmd *commands.Command) []any {
	words := strings.Split(cmd.FullName(), "|")
	if cmd.Keys.Inner != nil {
		return []any{cmd.Name, "1", "1", "cl.window", "key", "1", "1"}
	}
	k := &cmd.Keys
	least := max(cmd.Arity, -cmd.Arity, k.First+1)
	if k.NumKeys > 0 {
		least = max(least, k.NumKeys+k.Skip+2)
	}
	if cmd.Channels.NeedRight() {
		least = max(least, 2)
	}
	for len(words) < least {
		at := len(words)
		switch {
		case at == k.NumKeys && at > 0:
			words = append(words, "1")
		case cmd.Channels.NeedRight() && at == 1:
			words = append(words, "ch")
		default:
			words = append(words, "key")
		}
	}
	call := make([]any, len(words))
	for i, w := range words {
		call[i] = w
	}
	return call
}

// callable are the commands that a client may call: not the names of containers.
func callable() (all []*commands.Command) {
	for _, cmd := range commands.ByName() {
		if cmd.Run != nil {
			all = append(all, cmd)
		}
	}
	return all
}

// TestWhoMayDoWhat asks for every command what users with all kinds of rights may do. Refused commands are sent, too.
func TestWhoMayDoWhat(t *testing.T) {
	h := servertest.New(t)
	h.Want("ACL SETUSER u on nopass", servertest.OK)
	c := h.NewClient(t)
	c.Want("AUTH u x", servertest.OK)
	const noKey, noChannel = "one of the keys used as arguments", "one of the channels used as arguments"
	// want asks with rights about a command: "" allows it, other texts are part of the refusal.
	want := func(cmd *commands.Command, refusal, rules string) {
		t.Helper()
		require.Equal(t, servertest.OK, h.Do("ACL SETUSER u reset on nopass "+rules), rules)
		call := callOf(cmd)
		dry := h.Do(append([]any{"ACL", "DRYRUN", "u"}, call...)...)
		if refusal == "" {
			require.Equal(t, servertest.OK, dry, "%v: %s", call, rules)
			return
		}
		require.IsType(t, "", dry, "%v: %s", call, rules)
		reply, refused := c.Do(call...).(resptest.Error)
		require.True(t, refused, "%v: %s: %v", call, rules, reply)
		require.Regexp(t, "^(EXECABORT Transaction discarded because of: )?NOPERM this user has no permissions .*"+refusal, string(reply), "%v: %s", call, rules)
	}
	n := 0
	for _, cmd := range callable() {
		name := cmd.FullName()
		free := cmd.Flags&commands.NoAuth != 0
		byCommand := fmt.Sprintf("run the '%s' command", strings.ReplaceAll(name, "|", `\|`))
		if free {
			byCommand = ""
		}
		want(cmd, byCommand, "")
		want(cmd, byCommand, "~* &*")
		want(cmd, byCommand, "~* &* +@all -"+name)
		if cmd.Keys.Inner != nil {
			want(cmd, "run the 'cl.window' command", "~* &* +"+name)
			name += " +cl.window"
		}
		want(cmd, "", "~* &* +"+name)
		want(cmd, "", "~* &* +@all")
		want(cmd, "", "(~* &* +"+name+")")
		if parent, _, sub := strings.Cut(name, "|"); sub {
			want(cmd, "", "~* &* +"+parent)
			want(cmd, byCommand, "~* &* +@all -"+parent)
		}
		for _, category := range commands.CategoryOrder {
			if slices.Contains(cmd.ACLCategories(), "@"+category) {
				want(cmd, "", "~* &* +@"+category)
				want(cmd, byCommand, "~* &* +@all -@"+category)
			}
		}
		if cmd.HasKeys() {
			want(cmd, "", "~key +@all")
			want(cmd, noKey, "&* +@all")
			want(cmd, noKey, "~other &* +@all")
			want(cmd, noKey, "&* +@all (~* -@all)")
			n++
		}
		if cmd.Channels.NeedRight() {
			want(cmd, "", "&ch +@all")
			want(cmd, noChannel, "~* +@all")
			want(cmd, noChannel, "~* &other +@all")
			n++
		}
	}
	require.Greater(t, n, 100)
}

// TestLimitsNeedBothPermissions: a limiter reads and writes its key. CL.PROBE only reads.
func TestLimitsNeedBothPermissions(t *testing.T) {
	h := servertest.New(t)
	for _, cmd := range callable() {
		if cmd.Group != commands.GroupLimiter || !cmd.HasKeys() {
			continue
		}
		call := append([]any{"ACL", "DRYRUN", "u"}, callOf(cmd)...)
		for rules, allowed := range map[string]bool{"%R~*": cmd.Flags&commands.Write == 0, "%W~*": false, "%R~other %W~key": false, "%RW~key": true, "%R~key %W~key": true} {
			h.Want("ACL SETUSER u reset +@throttle "+rules, servertest.OK)
			require.Equal(t, allowed, h.Do(call...) == any(servertest.OK), "%v: %s", call, rules)
		}
	}
}

// TestEveryCommandOfLimitsIsInItsCategory: @throttle has all commands of limits, and no others.
func TestEveryCommandOfLimitsIsInItsCategory(t *testing.T) {
	for _, cmd := range callable() {
		name := cmd.FullName()
		ours := strings.HasPrefix(name, "cl.") || slices.Contains([]string{"gcra", "throttle"}, name)
		require.Equal(t, ours, slices.Contains(cmd.ACLCategories(), "@throttle"), name)
	}
}
