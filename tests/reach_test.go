//go:build !race

package tests

import (
	"go/ast"
	"go/types"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// mayReach says which fields and methods of the frame's state each family of commands may use: of the server
// (commands.Server), of its counters (commands.Stats), and of the own connection (commands.Conn). The keyspace comes with
// the transaction (Call.Tx) and is free for all. A new reach is a decision, made here.
var mayReach = map[string][]string{
	"commands/admin": {"Server.Clients", "Server.Clock", "Server.Config", "Server.Control", "Server.Disk", "Server.Log", "Server.Scripts", "Stats.Logins", "Listeners.Monitors", "Listeners.PubSub", "Server.Settings",
		"Server.Stats", "Server.Store", "Stats.Commands", "Stats.Latency", "Stats.Report", "Stats.Slow", "Server.Users",
		"Conn.After", "Conn.Identity", "Conn.Link", "Conn.Modes", "Conn.Now", "Conn.Transaction", "Conn.Wait"},
	"commands/cluster": {"Server.Config", "Server.Control", "Conn.Link", "Conn.Modes", "Conn.Transaction"},
	// RESET ends all that a connection may have begun.
	"commands/connection": {"Server.Clients", "Server.Config", "Server.Control", "Listeners.Monitors", "Listeners.PubSub", "Server.Stats", "Listeners.Tracker", "Server.Users", "Stats.Logins",
		"Conn.DB", "Conn.ID", "Conn.Identity", "Conn.Link", "Conn.Modes", "Conn.MustAuthenticate", "Conn.Subs", "Conn.Tracking",
		"Conn.Transaction", "Conn.Wait"},
	// FLUSHALL empties the files on disk and the caches of clients.
	"commands/keys": {"Server.Config", "Server.Disk", "Server.Store", "Listeners.Tracker", "Conn.After", "Conn.DB"},
	"commands/limits": {"Server.Clock", "Server.Config", "Server.Rules", "Server.Stats", "Stats.Commands", "Stats.Limited", "Stats.Meters",
		"Conn.DB", "Conn.Link", "Conn.Scratch", "Conn.Transaction"},
	"commands/pubsub":       {"Server.Control", "Listeners.PubSub", "Server.Users", "Conn.Identity", "Conn.Modes", "Conn.Push", "Conn.Subs", "Conn.Transaction"},
	"commands/scripting":    {"Server.Scripts"},
	"commands/hashes":       {},
	"commands/lists":        {},
	"commands/multipop":     {},
	"commands/sets":         {},
	"commands/sortedsets":   {},
	"commands/strings":      {"Server.Config"},
	"commands/transactions": {"Conn.Transaction"},
}

// reachable are the types of package commands whose fields and methods mayReach lists.
var reachable = []string{"Server", "Listeners", "Stats", "Conn"}

// members names the fields and methods of the reachable types, such as "Conn.DB", as a package that imports commands sees
// them.
func (p *goPackage) members() map[types.Object]string {
	all := map[types.Object]string{}
	for _, imported := range p.types.Imports() {
		if imported.Path() != module+"/commands" {
			continue
		}
		for _, name := range reachable {
			of := imported.Scope().Lookup(name).Type()
			fields := of.Underlying().(*types.Struct)
			for i := range fields.NumFields() {
				all[fields.Field(i)] = name + "." + fields.Field(i).Name()
			}
			methods := types.NewMethodSet(types.NewPointer(of))
			for i := range methods.Len() {
				all[methods.At(i).Obj()] = name + "." + methods.At(i).Obj().Name()
			}
		}
	}
	return all
}

// reach returns the members that a package uses, each with the places.
func (p *goPackage) reach() map[string][]string {
	members, places := p.members(), map[string][]string{}
	for _, f := range p.files {
		ast.Inspect(f.file, func(n ast.Node) bool {
			if name, ok := n.(*ast.Ident); ok {
				if member := members[p.info.Uses[name]]; member != "" {
					places[member] = append(places[member], f.position(name).String())
				}
			}
			return true
		})
	}
	return places
}

// TestCommandsReachOnlyTheirConcerns keeps every family of commands to its part of the server and of the connection.
func TestCommandsReachOnlyTheirConcerns(t *testing.T) {
	found := map[string]bool{}
	for _, p := range typedPackages(t) {
		if !strings.HasPrefix(p.name, "commands/") || p.name == "commands/all" {
			continue
		}
		found[p.name] = true
		allowed, known := mayReach[p.name]
		if !known {
			t.Errorf("the family %s is missing in mayReach: list there which parts of commands.Server and commands.Conn it may use", p.name)
		}
		reached := p.reach()
		for member, places := range reached {
			if !slices.Contains(allowed, member) {
				t.Errorf("%s uses commands.%s, but may only use %q: move the command to the family of this concern, "+
					"or decide to add it to mayReach:%s", p.name, member, allowed, indented(places))
			}
		}
		for _, member := range allowed {
			if reached[member] == nil {
				t.Errorf("%s does not use commands.%s: delete it from mayReach", p.name, member)
			}
		}
	}
	for name := range mayReach {
		require.True(t, found[name], "mayReach names %s, and there is no such package: delete its line", name)
	}
}
