package server_test

import (
	"fmt"
	"testing"

	"cellserver/commands"
	"cellserver/resp/resptest"
	"cellserver/server/servertest"

	"github.com/stretchr/testify/require"
)

const (
	noKey     = commands.Error("NOPERM this user has no permissions to access one of the keys used as arguments")
	noChannel = commands.Error("NOPERM this user has no permissions to access one of the channels used as arguments")
)

func noCommand(name string) commands.Error {
	return commands.Error("NOPERM this user has no permissions to run the '" + name + "' command")
}

// as returns a client that is a user with rules.
func as(t *testing.T, h *servertest.Harness, rules string) *servertest.Client {
	t.Helper()
	h.Want("ACL SETUSER alice on nopass "+rules, servertest.OK)
	c := h.NewClient(t)
	c.Want("AUTH alice x", servertest.OK)
	return c
}

// A caller who may only ask one rule of some keys is one line.
func TestOneLineForACallerOfRules(t *testing.T) {
	h := servertest.New(t)
	h.Want("CL.RULE SET api CL.THROTTLE 15 30 60", servertest.OK)
	h.Want("CL.RULE SET web CL.THROTTLE 15 30 60", servertest.OK)
	c := as(t, h, "+cl.check ~api:*")
	require.Len(t, c.Do("CL.CHECK api api:7"), 5)
	require.Len(t, c.Do("CL.CHECK web api:7"), 5)
	c.Want("CL.CHECK api web:7", noKey)
	c.Want("CL.RULE DEL api", noCommand("cl.rule|del"))
	c.Want("CL.THROTTLE api:7 15 30 60", noCommand("cl.throttle"))
	c.Want("GET api:7", noCommand("get"))
	c.Want("PING", noCommand("ping"))
	h.Want("ACL SETUSER alice -cl.check +cl.check|api", servertest.OK)
	require.Len(t, c.Do("CL.CHECK api api:7"), 5)
	c.Want("CL.CHECK web api:7", noCommand("cl.check"))
	h.Want("ACL SETUSER alice +@throttle", servertest.OK)
	require.Len(t, c.Do("CL.THROTTLE api:8 15 30 60"), 5)
	c.Want("CL.MTHROTTLE 2 api:1 15 30 60 web:1 15 30 60", noKey)
	c.Want("CL.MCHECK 2 api api:1 api web:1", noKey)
}

func TestRightsOfKeysAndChannels(t *testing.T) {
	h := servertest.New(t)
	c := as(t, h, "+@all ~rw:* %R~r:* %W~w:* &c:*")
	c.Want("GET r:1", nil)
	c.Want("SET r:1 x", noKey)
	c.Want("SET w:1 x", servertest.OK)
	c.Want("GET w:1", noKey)
	c.Want("SET w:1 x GET", noKey)
	c.Want("SET rw:1 x GET", nil)
	c.Want("GETDEL r:1", noKey)
	c.Want("TYPE w:1", resptest.Simple("string"))
	c.Want("TYPE x", noKey)
	c.Want("COPY r:1 w:2", 0)
	c.Want("COPY w:1 r:2", noKey)
	c.Want("MGET r:1 rw:1 x", noKey)
	c.Want("ZUNIONSTORE w:3 2 r:1 rw:2", 0)
	c.Want("ZUNIONSTORE w:3 2 r:1 w:2", noKey)
	c.Want("WATCH r:1 x", noKey)
	c.Want("PUBLISH c:1 x", 0)
	c.Want("PUBLISH d x", noChannel)
	c.Want("SUBSCRIBE c:1 d", noChannel)
	c.Want("PSUBSCRIBE c:1*", noChannel)
	c.Want("PSUBSCRIBE c:*", []any{"psubscribe", "c:*", 1})
}

func TestSetUserActsOnLiveConnections(t *testing.T) {
	h := servertest.New(t)
	c := as(t, h, "~* +get")
	c.Want("GET k", nil)
	h.Want("ACL SETUSER alice -get", servertest.OK)
	c.Want("GET k", noCommand("get"))
	h.Want("ACL SETUSER alice +@all", servertest.OK)
	c.Want("SET k v", servertest.OK)
	h.Want("ACL SETUSER alice off", servertest.OK)
	c.Want("GET k", "v")
	c.Want("AUTH alice x", commands.Error("WRONGPASS invalid username-password pair or user is disabled."))
	c.Want("GET k", "v")
	require.Equal(t, resptest.Simple("RESET"), c.Do("RESET"))
	c.Want("ACL WHOAMI", "default")
}

// The user is deleted while the connection runs a batch: its next command gets no further.
func TestADeletedUserRunsNothing(t *testing.T) {
	h := servertest.New(t)
	c := as(t, h, "+@all ~*")
	h.Server.Users().Delete([]string{"alice"})
	c.Want("SET k v", commands.ErrNoAuth)
	require.True(t, c.State.Conn().Modes.Leaving)
	h.Want("GET k", nil)
}

func TestTheDefaultUserMayBeRestricted(t *testing.T) {
	h := servertest.New(t)
	h.Want("ACL SETUSER admin on nopass +@all ~*", servertest.OK)
	h.Want("ACL SETUSER default resetkeys ~a -@all +get", servertest.OK)
	h.Want("GET a", nil)
	h.Want("GET b", noKey)
	h.Want("SET a x", noCommand("set"))
	h.Want("HELLO 2 AUTH admin x", h.Do("HELLO"))
	h.Want("ACL SETUSER default off", servertest.OK)
	c := h.NewClient(t)
	c.Want("GET a", commands.ErrNoAuth)
	c.Want("AUTH default x", commands.Error("WRONGPASS invalid username-password pair or user is disabled."))
	h.Want("ACL SETUSER default on", servertest.OK)
	c.Want("GET a", nil)
	c.Want("GET b", noKey)
	c.Want("MULTI", noCommand("multi"))
}

func TestRightsInTransactions(t *testing.T) {
	h := servertest.New(t)
	c := as(t, h, "~a &a +get +set +publish +multi +exec")
	c.Want("MULTI", servertest.OK)
	c.Want("GET b", noKey)
	c.Want("EXEC", commands.Error("EXECABORT Transaction discarded because of previous errors."))

	queued := resptest.Simple("QUEUED")
	c.Want("MULTI", servertest.OK)
	c.Want("GET a", queued)
	c.Want("SET a 1", queued)
	c.Want("PUBLISH a 1", queued)
	h.Want("ACL SETUSER alice resetkeys resetchannels -get", servertest.OK)
	const changed = "NOPERM ACLs rules changed between the moment the transaction was accumulated and the EXEC call. " +
		"This command is no longer allowed for the following reason: "
	c.Want("EXEC", []any{
		resptest.Error(changed + "no permission to execute the command or subcommand"),
		resptest.Error(changed + "no permission to touch the specified keys"),
		resptest.Error(changed + "no permission to access one of the channels used as arguments"),
	})
	h.Want("GET a", nil)

	h.Want("ACL SETUSER alice +ping", servertest.OK)
	c.Want("MULTI", servertest.OK)
	c.Want("PING", queued)
	h.Want("ACL SETUSER alice -exec", servertest.OK)
	c.Want("EXEC", commands.Error("EXECABORT Transaction discarded because of: NOPERM this user has no permissions to run the 'exec' command"))
	c.Want("PING", resptest.Simple("PONG"))
}

func TestRightsInScripts(t *testing.T) {
	h := servertest.New(t)
	c := as(t, h, "~a &a +get +publish +eval")
	pcall := func(want any, words string) {
		t.Helper()
		c.Want("EVAL \"return redis.pcall("+words+")\" 0", want)
	}
	pcall(nil, "'get','a'")
	pcall(commands.Error("ERR The user executing the script can't access at least one of the keys mentioned in the command arguments"), "'get','b'")
	pcall(commands.Error("ERR The user executing the script can't run this command or subcommand"), "'set','a','1'")
	pcall(commands.Error("ERR The user executing the script can't publish to the channel mentioned in the command"), "'publish','b','1'")
	c.Want("EVAL \"return {redis.acl_check_cmd('get','a'),redis.acl_check_cmd('get','b'),redis.acl_check_cmd('set','a','1')}\" 0", []any{1, nil, nil})
	c.Want("EVAL \"return 1\" 1 b", noKey)
	h.Do("HELLO 3")
	entry := h.Do("ACL LOG 10").([]any)[1].(resptest.Map)
	require.Equal(t, servertest.MapOf("reason", "channel", "context", "lua", "object", "b"), entry[1:4])
}

// TestScriptsAskAboutCommandsAlone: as in Redis, redis.acl_check_cmd needs no arguments of the command. Those that are
// there count.
func TestScriptsAskAboutCommandsAlone(t *testing.T) {
	h := servertest.New(t)
	const script = "EVAL \"return redis.acl_check_cmd(unpack(ARGV))\" 0 "
	c := as(t, h, "~a &a +eval +set +mset +publish +cl.check +config|get")
	for _, words := range []string{"set", "set a", "mset a", "publish a", "publish", "cl.check", "cl.check x", "config get"} {
		h.Want(script+words, 1)
		c.Want(script+words, 1)
	}
	for _, words := range []string{
		"get", "spublish", "cl.explain", "config", "config set", "set b", "mset b", "mset a 1 b", "publish b", "cl.check x b",
	} {
		h.Want(script+words, 1)
		c.Want(script+words, nil)
	}
}

// TestARightToOneRuleHasOneSpelling: another spelling of a rule, a key or a channel is another budget, key or
// channel. The other first arguments are words, whose case does not count.
func TestARightToOneRuleHasOneSpelling(t *testing.T) {
	h := servertest.New(t)
	h.Want("CL.RULE SET login CL.WINDOW 5 60", servertest.OK)
	h.Want("CL.RULE SET default CL.WINDOW 900 60", servertest.OK)
	c := as(t, h, "~* &* +cl.check|login +cl.explain|login +cl.reserve|login +cl.settle|login +get|k +publish|ch +debug|sleep +eval|return(1)")
	for _, call := range []string{"CL.CHECK %s k", "CL.EXPLAIN %s k", "CL.RESERVE %s k 1 id 60", "CL.SETTLE %s k id 1"} {
		require.NotContains(t, c.Do(fmt.Sprintf(call, "login")), "NOPERM", call)
		for _, name := range []string{"Login", "LOGIN", "logiN", "login.", "login2", "logi"} {
			require.Contains(t, c.Do(fmt.Sprintf(call, name)), "NOPERM", call)
		}
	}
	c.Want("GET k", nil)
	c.Want("GET K", noCommand("get"))
	c.Want("PUBLISH ch x", 0)
	c.Want("PUBLISH CH x", noCommand("publish"))
	c.Want("EVAL return(1) 0", 1)
	c.Want("EVAL RETURN(1) 0", noCommand("eval"))
	c.Want("debug sleep 0", servertest.OK)
	c.Want("DEBUG SLEEP 0", servertest.OK)
	require.ElementsMatch(t, []any{"login:{k}:reserved", "login:{k}:window"}, h.Do("KEYS *:{k}:*"))

	h.Want("ACL SETUSER alice +cl.check|Login +get|K +debug|Sleep", servertest.OK)
	require.Len(t, c.Do("CL.CHECK Login k"), 5)
	require.Contains(t, fmt.Sprint(h.Do("ACL GETUSER alice")), " +cl.check|login +cl.explain|login +cl.reserve|login +cl.settle|login "+
		"+get|k +publish|ch +debug|sleep +eval|return(1) +cl.check|Login +get|K")
}

// TestTheLogNamesTheCommandOfTheClient: as in Redis, the object is what was refused, and cmd is what the
// client has sent.
func TestTheLogNamesTheCommandOfTheClient(t *testing.T) {
	h := servertest.New(t)
	c := as(t, h, "~a +eval +evalsha +multi +exec +script +get")
	sha := c.Do("SCRIPT", "LOAD", "return redis.pcall('incr', 'a')")
	h.Do("HELLO 3")
	logged := func(context, object, cmd string) {
		t.Helper()
		entry := h.Do("ACL LOG 1").([]any)[0].(resptest.Map)
		require.Equal(t, servertest.MapOf("context", context, "object", object), entry[2:4])
		require.Contains(t, entry[6].Value, " cmd="+cmd+" ")
		h.Want("ACL LOG RESET", servertest.OK)
	}
	c.Do("EVAL", "return redis.pcall('incr', 'a')", 0)
	logged("lua", "incr", "eval")
	c.Do("EVALSHA", sha, 0)
	logged("lua", "incr", "evalsha")
	c.Do("EVAL", "return redis.pcall('get', 'b')", 0)
	logged("lua", "b", "eval")
	c.Do("EVAL", "return redis.pcall('object', 'encoding', 'a')", 0)
	logged("lua", "object|encoding", "eval")
	c.Do("INCR", "a")
	logged("toplevel", "incr", "incr")
	c.Do("MULTI")
	c.Do("EVAL", "return redis.pcall('incr', 'a')", 0)
	c.Do("GET", "a")
	h.Want("ACL SETUSER alice -get", servertest.OK)
	c.Do("EXEC")
	logged("multi", "get", "exec")
}

func TestMonitorsSeeNoPasswords(t *testing.T) {
	h := servertest.New(t)
	m := h.NewClient(t)
	m.Want("MONITOR", servertest.OK)
	h.Want("CONFIG SET slowlog-log-slower-than 0", servertest.OK)
	h.Want("ACL SETUSER alice >secret", servertest.OK)
	for _, wrong := range []string{
		"AUTH alice my secret", "HELLO AUTH alice secret", "HELLO 9 AUTH alice secret", "HELLO 3 NAME a AUTH alice secret",
		"HELLO 3 AUTH alice my secret", "HELLO 3 AUTHX alice secret", "COMMAND GETKEYS AUTH alice secret",
		"HELLO 9 AUTH alice my secret", "HELLO 9 AUTHX alice secret", "HELLO 3 SETNAME é AUTH alice my secret",
	} {
		h.Do(wrong)
	}
	require.NotContains(t, fmt.Sprint(m.TakePushes(), h.Do("SLOWLOG GET")), "secret")
}
