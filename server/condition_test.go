package server_test

import (
	"cellserver/commands"
	"cellserver/server"
	"cellserver/server/servertest"
	"testing"
)

func TestCondition(t *testing.T) {
	h := servertest.New(t)
	h.Want("SET k 1", ok)
	h.Server.SetCondition(server.Condition{Loading: true})
	h.Want("GET k", server.ErrLoading)
	h.Want("CL.THROTTLE k 1 1 1", server.ErrLoading)
	h.Want("PING", server.ErrLoading)
	h.Want("LASTSAVE", int(servertest.Start/1e9))
	h.Want("MULTI", ok)
	h.Want("EXEC", []any{})
	h.Server.SetCondition(server.Condition{SaveFailed: true})
	h.Want("GET k", "1")
	h.Want("SET k 2", server.ErrSaveFailed)
	h.Want("PING", server.ErrSaveFailed)
	h.Want("CL.THROTTLE k 1 1 1", server.ErrSaveFailed)
	h.Want("CL.PROBE other 1 1 1", []any{0, 2, 1, -1, 1})
	h.Server.SetCondition(server.Condition{})
	h.Want("SET k 3", ok)
}

func TestConditionOfTheLog(t *testing.T) {
	h := servertest.New(t)
	h.Want("SET k 1", ok)
	misconf := server.ErrLogFailed("no space left on device").(commands.Error)
	h.Server.SetCondition(server.Condition{LogFailed: "no space left on device"})
	h.Want("GET k", "1")
	h.Want("PING", servertest.TypeOf("PONG"))
	h.Want("SET k 2", misconf)
	h.Want("DEL k", misconf)
	h.Want("CL.THROTTLE u 1 1 1", []any{0, 2, 1, -1, 1})
	h.Want("MULTI", ok)
	h.Want("CL.THROTTLE u 1 1 1", servertest.TypeOf("QUEUED"))
	h.Want("GET k", servertest.TypeOf("QUEUED"))
	h.Want("EXEC", []any{[]any{0, 2, 0, -1, 2}, "1"})
	h.Server.SetCondition(server.Condition{})
	h.Want("MULTI", ok)
	h.Want("SET k 2", servertest.TypeOf("QUEUED"))
	h.Want("CL.THROTTLE u 1 1 1", servertest.TypeOf("QUEUED"))
	h.Server.SetCondition(server.Condition{LogFailed: "no space left on device"})
	h.Want("EXEC", commands.Error("EXECABORT Transaction discarded because of: "+string(misconf)))

	h.Server.SetCondition(server.Condition{LogFailed: "no space left on device", LogStrict: true})
	h.Want("CL.THROTTLE u 1 1 1", misconf)
	h.Want("GET k", misconf)
	h.Want("PING", servertest.TypeOf("PONG"))
}

func TestConditionMeetsTransactions(t *testing.T) {
	h := servertest.New(t)
	h.Want("MULTI", ok)
	h.Want("SET k 1", servertest.TypeOf("QUEUED"))
	h.Server.SetCondition(server.Condition{SaveFailed: true})
	h.Want("EXEC", commands.Error("EXECABORT Transaction discarded because of: "+string(server.ErrSaveFailed)))
	h.Server.SetCondition(server.Condition{})
	h.Want("MULTI", ok)
	h.Want("GET k", servertest.TypeOf("QUEUED"))
	h.Server.SetCondition(server.Condition{Loading: true})
	h.Want("EXEC", commands.Error("EXECABORT Transaction discarded because of: "+string(server.ErrLoading)))
}

func TestNothingIsEvictedWhileLoading(t *testing.T) {
	h := servertest.New(t, "--maxmemory", "1", "--maxmemory-policy", "allkeys-random")
	h.SortedSet("z", "a")
	h.Server.SetCondition(server.Condition{Loading: true})
	h.Want("TIME", h.Do("TIME"))
	h.Server.SetCondition(server.Condition{})
	h.Want("DBSIZE", 0)
}
