package admin

import (
	"regexp"
	"testing"

	"cellserver/commands"
	"cellserver/resp/resptest"
	"cellserver/server/servertest"

	"github.com/stretchr/testify/require"
)

const secHash = "add93534eeb463800fe0ed0946048d33636dd2a014fab92e8a37f77ce98c740b"

func TestACLUsers(t *testing.T) {
	h := servertest.New(t)
	h.Want("ACL USERS", []string{"default"})
	h.Want("ACL LIST", []string{"user default on nopass ~* &* +@all"})
	h.Want("ACL GETUSER default", []any{"flags", []string{"on", "nopass"}, "passwords", []any{}, "commands", "+@all",
		"keys", "~*", "channels", "&*", "selectors", []any{}})
	h.Want("ACL GETUSER nobody", nil)

	h.Want("ACL SETUSER bob on >sec %R~a:* ~b &c +@read -get (%W~d +set)", ok)
	h.Want("ACL SETUSER alice", ok)
	h.Want("ACL USERS", []string{"alice", "bob", "default"})
	h.Want("ACL LIST", []string{
		"user alice off resetchannels -@all",
		"user bob on #" + secHash + " %R~a:* ~b resetchannels &c -@all +@read -get (%W~d resetchannels -@all +set)",
		"user default on nopass ~* &* +@all",
	})
	h.Want("ACL GETUSER bob", []any{"flags", []string{"on"}, "passwords", []string{secHash}, "commands", "-@all +@read -get",
		"keys", "%R~a:* ~b", "channels", "&c", "selectors", []any{[]string{"commands", "-@all +set", "keys", "%W~d", "channels", ""}}})
	h.Do("HELLO 3")
	user := h.Do("ACL GETUSER bob").(resptest.Map)
	require.Equal(t, resptest.Pair{Key: "flags", Value: resptest.Set{"on"}}, user[0])
	require.Equal(t, servertest.MapOf("commands", "-@all +set", "keys", "%W~d", "channels", ""), user[5].Value.([]any)[0])
}

func TestRequirePassIsThePasswordOfTheDefaultUser(t *testing.T) {
	h := servertest.New(t)
	h.Want("CONFIG SET requirepass sec", ok)
	h.Want("ACL LIST", []string{"user default on #" + secHash + " ~* &* +@all"})
	h.Want("ACL SETUSER default >more", ok)
	h.Want("CONFIG GET requirepass", []string{"requirepass", "sec"})
	h.Want("CONFIG SET maxclients 100", ok)
	h.Want("AUTH more", ok)
	h.Want(`CONFIG SET requirepass ""`, ok)
	h.Want("ACL LIST", []string{"user default on nopass ~* &* +@all"})
}

func TestACLSetUserRefuses(t *testing.T) {
	h := servertest.New(t)
	h.Want(`ACL SETUSER "a b"`, commands.Error("ERR Usernames can't contain spaces or null characters"))
	h.Want("ACL SETUSER alice on foo", commands.Error("ERR Error in ACL SETUSER modifier 'foo': Syntax error"))
	h.Want("ACL SETUSER alice (+get ~a", commands.Error("ERR Unmatched parenthesis in acl selector starting at '(+get'."))
	h.Want("ACL SETUSER alice +nosuch", commands.Error("ERR Error in ACL SETUSER modifier '+nosuch': Unknown command or category name in ACL"))
	h.Want("ACL USERS", []string{"default"})
	h.Want("CONFIG SET acl-pubsub-default allchannels", ok)
	h.Want("ACL SETUSER alice", ok)
	h.Want("ACL LIST", []string{"user alice off &* -@all", "user default on nopass ~* &* +@all"})
}

func TestACLDelUser(t *testing.T) {
	h := servertest.New(t)
	h.Want("ACL SETUSER alice on nopass +ping", ok)
	c, other := h.NewClient(t), h.NewClient(t)
	c.Want("AUTH alice x", ok)
	h.Want("ACL DELUSER alice default", commands.Error("ERR The 'default' user cannot be removed"))
	h.Want("ACL DELUSER alice nobody", 1)
	require.True(t, c.Closed)
	require.False(t, other.Closed)
	require.False(t, h.Closed)
	h.Want("ACL DELUSER alice", 0)
}

func TestACLDelUserOfTheCaller(t *testing.T) {
	h := servertest.New(t)
	h.Want("ACL SETUSER alice on nopass +@all", ok)
	h.Want("AUTH alice x", ok)
	h.Want("ACL DELUSER alice", 1)
	require.True(t, h.Closed || h.State.Conn().Modes.Leaving)
}

func TestACLSetUserDisconnectsSubscribers(t *testing.T) {
	h := servertest.New(t)
	h.Want("ACL SETUSER alice on nopass +@all &a &b:*", ok)
	subscribe := func(line string) *servertest.Client {
		c := h.NewClient(t)
		c.Want("AUTH alice x", ok)
		c.All(line)
		return c
	}
	a, b, pattern, nobody := subscribe("SUBSCRIBE a"), subscribe("SUBSCRIBE a b:1"), subscribe("PSUBSCRIBE b:*"), subscribe("PING")
	open := func(want ...bool) {
		t.Helper()
		require.Equal(t, want, []bool{!a.Closed, !b.Closed, !pattern.Closed, !nobody.Closed})
	}
	h.Want("ACL SETUSER alice &c", ok)
	open(true, true, true, true)
	h.Want("ACL SETUSER alice resetchannels &a &*:1", ok)
	open(true, true, false, true)
	h.Want("ACL SETUSER alice resetchannels &a", ok)
	open(true, false, false, true)
	h.Want("ACL SETUSER alice reset", ok)
	open(false, false, false, true)
}

// TestACLSetUserDisconnectsGuests: a client that came while the default user had a password has the rights of that user
// since it has none.
func TestACLSetUserDisconnectsGuests(t *testing.T) {
	h := servertest.New(t, "--requirepass", "x")
	guest := h.NewClient(t)
	h.Want("AUTH x", ok)
	h.Want(`CONFIG SET requirepass ""`, ok)
	guest.All("SUBSCRIBE news")
	require.False(t, guest.Closed)
	h.Want("ACL SETUSER default resetchannels", ok)
	require.True(t, guest.Closed)
}

func TestACLDryRun(t *testing.T) {
	h := servertest.New(t)
	h.Want("ACL SETUSER alice ~a &c +get +set +publish +client|id", ok)
	h.Want("ACL DRYRUN alice GET a", ok)
	h.Want("ACL DRYRUN alice GET b", "This user has no permissions to access the 'b' key")
	h.Want("ACL DRYRUN alice PUBLISH b c", "This user has no permissions to access the 'b' channel")
	h.Want("ACL DRYRUN alice DEL a", "This user has no permissions to run the 'del' command")
	h.Want("ACL DRYRUN alice CLIENT LIST", "This user has no permissions to run the 'client|list' command")
	h.Want("ACL DRYRUN alice CLIENT ID", ok)
	h.Want("ACL DRYRUN alice CLIENT NOSUCH", commands.Error("ERR Command 'CLIENT' not found"))
	h.Want("ACL DRYRUN alice NOSUCH", commands.Error("ERR Command 'NOSUCH' not found"))
	h.Want("ACL DRYRUN alice GET", commands.WrongArity("get"))
	h.Want("ACL DRYRUN bob GET a", commands.Error("ERR User 'bob' not found"))
	h.Want("GET a", nil)
}

func TestACLGenPass(t *testing.T) {
	h := servertest.New(t)
	require.Regexp(t, regexp.MustCompile("^[0-9a-f]{64}$"), h.Do("ACL GENPASS"))
	require.NotEqual(t, h.Do("ACL GENPASS"), h.Do("ACL GENPASS"))
	require.Len(t, h.Do("ACL GENPASS 5"), 2)
	require.Len(t, h.Do("ACL GENPASS 4096"), 1024)
	out := commands.Error("ERR ACL GENPASS argument must be the number of bits for the output password, a positive number up to 4096")
	h.Want("ACL GENPASS 0", out)
	h.Want("ACL GENPASS 4097", out)
	h.Want("ACL GENPASS x", commands.ErrNotInteger)
	h.Want("ACL GENPASS 1 2", commands.Error("ERR unknown subcommand or wrong number of arguments for 'GENPASS'. Try ACL HELP."))
}
