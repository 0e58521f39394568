package admin

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"cellserver/commands"
	"cellserver/internal/config"
	"cellserver/internal/glob"
)

// CONFIG shows and changes the configuration of the running server.
var _ = commands.Register(&commands.Command{
	Name: "config", Arity: -2, Group: commands.GroupServer,
	Subs: []*commands.Command{
		{Name: "get", Arity: -3, Flags: commands.AdminFlags, Run: configGet},
		{
			Name: "set", Arity: -4, Flags: commands.AdminFlags, Tips: commands.AllNodesSucceed,
			Run: configSet,
		},
		{Name: "resetstat", Arity: 2, Flags: commands.AdminFlags, Run: configResetStat},
		{Name: "rewrite", Arity: 2, Flags: commands.AdminFlags, Run: configRewrite},
		commands.HelpCommand(),
	},
})

// configGet replies with the directives that match the patterns, in the order of the configuration
// table. A directive that a client names without wildcards keeps the spelling of the client.
func configGet(c *commands.Call) error {
	cfg := c.Server.Config()
	known := map[string]bool{}
	var found []string
	find := func(name string) {
		if folded := strings.ToLower(name); !known[folded] {
			known[folded] = true
			found = append(found, name)
		}
	}
	for _, pattern := range c.Args[2:] {
		if !bytes.ContainsAny(pattern, "*?[") {
			if _, ok := config.Lookup(string(pattern)); ok {
				find(string(pattern))
			}
			continue
		}
		for _, name := range config.Names() {
			if d, _ := config.Lookup(name); !d.Hidden && glob.MatchFold(pattern, name) {
				find(name)
			}
		}
	}
	c.Out.Map(len(found))
	for _, name := range found {
		value, _ := cfg.Get(name)
		commands.Field(c.Out, name, value)
	}
	return nil
}

// configSet changes all of the given directives, or none.
func configSet(c *commands.Call) error {
	if len(c.Args)%2 != 0 {
		c.Hide(3) // a secret with spaces
		return commands.ErrSyntax
	}
	var pairs []configPair
	refused, err := c.Server.Settings.Change(func(old *config.Config) (next *config.Config, err error) {
		pairs, err = readPairs(c, old)
		if err != nil {
			return nil, err
		}
		return applyPairs(old, pairs)
	})
	switch {
	case err != nil:
		c.Hide(3) // a word that is wrong may be the name of a secret
		return err
	case refused != nil:
		return refusedByEdge(refused, pairs)
	}
	return commands.ReplyOK(c)
}

// applyPairs returns a copy of a configuration with new values.
func applyPairs(old *config.Config, pairs []configPair) (*config.Config, error) {
	next := old.Clone()
	for _, p := range pairs {
		if err := next.Set(p.name, p.directive.Split(p.value)); err != nil {
			return nil, configFailed(strings.ToLower(p.name), err)
		}
	}
	if err := next.Validate(); err != nil {
		return nil, configFailed(strings.ToLower(pairs[0].name), err)
	}
	return next, nil
}

// refusedByEdge is the error of a change that the edge refuses. It names the directive of the
// refusal. If the refusal has no directive, it names the first one of the call.
func refusedByEdge(err error, pairs []configPair) error {
	if refusal, is := errors.AsType[*commands.Refusal](err); is {
		return configFailed(refusal.Directive, err)
	}
	return configFailed(strings.ToLower(pairs[0].name), err)
}

// configPair is a directive and its new value.
type configPair struct {
	name, value string
	directive   *config.Directive
}

// readPairs parses the arguments of CONFIG SET and checks whether the client may set each
// directive. A client may set every directive to its own value. readPairs marks the secrets in
// the call, up to an error.
func readPairs(c *commands.Call, cfg *config.Config) (pairs []configPair, err error) {
	named := map[string]bool{}
	for i := 2; i+1 < len(c.Args); i += 2 {
		name, value := string(c.Args[i]), string(c.Args[i+1])
		d, ok := config.Lookup(name)
		if !ok {
			return nil, commands.Error(fmt.Sprintf("ERR Unknown option or number of arguments for CONFIG SET - '%s'",
				commands.Clip(c.Args[i], len(name))))
		}
		if d.Sensitive {
			c.Secret = append(c.Secret, i+1)
		}
		folded := strings.ToLower(name)
		if refusal := d.Settable(cfg, c.Conn.Link.IsLocal()); refusal != nil && d.Changes(cfg, value) {
			return nil, configFailed(name, refusal)
		} else if named[folded] {
			return nil, configFailed(name, errDuplicateDirective)
		}
		named[folded] = true
		pairs = append(pairs, configPair{name, value, d})
	}
	return pairs, nil
}

const errDuplicateDirective commands.Error = "duplicate parameter"

func configFailed(name string, why error) error {
	return commands.Error(fmt.Sprintf("ERR CONFIG SET failed (possibly related to argument '%s') - %s",
		name, why))
}

func configResetStat(c *commands.Call) error {
	c.Server.Stats.Commands.Reset()
	return commands.ReplyOK(c)
}

func configRewrite(c *commands.Call) error {
	known, err := c.Server.Settings.Rewrite()
	switch {
	case !known:
		return commands.Error("ERR The server is running without a config file")
	case err != nil:
		c.Server.Log.Warn("CONFIG REWRITE failed", "error", err)
		return commands.Error("ERR Rewriting config file: " + err.Error())
	}
	return commands.ReplyOK(c)
}
