package config

import (
	"errors"
	"slices"
	"strings"
)

// Directive is one row of the table.
type Directive struct {
	Name    string
	Aliases []string // older names; CONFIG GET and SET know them too
	Group   string   // its heading in the reference
	Values  string   // what it takes, in words
	Default string   // in CONFIG GET form
	Summary string

	Mutable   bool // CONFIG SET may change it
	Protected bool // CONFIG SET may change it only as enable-protected-configs says
	Sensitive bool // its value belongs in no log
	Hidden    bool // CONFIG GET shows it to its exact name only, not to a pattern
	Many      bool // takes several arguments
	Inert     bool // read back as set, but nothing follows from it

	note  string // why it is inert, after "is ignored: "
	field bool   // its value lives in a field of Config
	get   func(*Config) string
	set   func(*Config, []string) error
}

// Errors of CONFIG SET that concern the directive, not its value.
var (
	ErrImmutable = errors.New("can't set immutable config")
	ErrProtected = errors.New("can't set protected config")
)

// Settable says whether a client may CONFIG SET the directive now: nil,
// [ErrImmutable] or [ErrProtected]. A local client came over the loopback address
// or the unix socket.
func (d *Directive) Settable(c *Config, local bool) error {
	switch {
	case !d.Mutable:
		return ErrImmutable
	case d.Protected && !c.EnableProtectedConfigs.Allows(local):
		return ErrProtected
	}
	return nil
}

// Split cuts CONFIG SET's one value into the arguments of [Config.Set]: at every
// single space for a directive of many arguments, as Redis does; "" is none of them.
func (d *Directive) Split(value string) []string {
	switch {
	case !d.Many:
		return []string{value}
	case value == "":
		return nil
	}
	return strings.Split(value, " ")
}

var (
	table = slices.Concat(
		networkDirectives, tlsDirectives, securityDirectives, memoryDirectives,
		generalDirectives, limiterDirectives, observeDirectives, metricsDirectives, persistenceDirectives, inertDirectives,
	)
	names, byName = indexTable()
)

func indexTable() ([]string, map[string]*Directive) {
	var names []string
	rows := map[string]*Directive{}
	for i := range table {
		for _, name := range append([]string{table[i].Name}, table[i].Aliases...) {
			if rows[name] != nil {
				panic("directive '" + name + "' stands twice in the table")
			}
			rows[name] = &table[i]
			names = append(names, name)
		}
	}
	return names, rows
}

// Directives returns the table, in its order.
func Directives() []Directive { return slices.Clone(table) }

// Names returns every name and alias, in the order of the table.
func Names() []string { return slices.Clone(names) }

// Lookup finds a directive by its name or an alias; case does not matter.
func Lookup(name string) (*Directive, bool) {
	d, ok := byName[strings.ToLower(name)]
	return d, ok
}

// field is a directive whose value is a field of Config.
func field[T any](name string, k kind[T], def string, at func(*Config) *T, summary string) Directive {
	return Directive{
		Name: name, Values: k.values, Default: def, Summary: summary,
		Mutable: true, Many: k.many, field: true,
		get: func(c *Config) string { return k.format(*at(c)) },
		set: func(c *Config, args []string) error {
			v, err := k.parse(args)
			if err == nil {
				*at(c) = v
			}
			return err
		},
	}
}

// inert is a directive of Redis that is checked, kept and read back, no more.
func inert[T any](name string, k kind[T], def string) Directive {
	return Directive{
		Name: name, Values: k.values, Default: def,
		Mutable: true, Many: k.many, Inert: true,
		get: func(c *Config) string {
			if v, ok := c.inert[name]; ok {
				return v
			}
			return def
		},
		set: func(c *Config, args []string) error {
			v, err := k.parse(args)
			if err != nil {
				return err
			}
			if c.inert == nil {
				c.inert = map[string]string{}
			}
			c.inert[name] = k.format(v)
			return nil
		},
	}
}

// group heads its rows with a title, and gives those without one a summary.
func group(title, summary string, rows ...Directive) []Directive {
	for i := range rows {
		rows[i].Group = title
		if rows[i].Summary == "" {
			rows[i].Summary = summary
		}
	}
	return rows
}

func (d Directive) alias(names ...string) Directive { d.Aliases = names; return d }
func (d Directive) immutable() Directive            { d.Mutable = false; return d }
func (d Directive) protected() Directive            { d.Protected = true; return d }
func (d Directive) sensitive() Directive            { d.Sensitive = true; return d }
func (d Directive) hidden() Directive               { d.Hidden = true; return d }

// ignored marks a directive inert and says why.
func (d Directive) ignored(note string) Directive {
	d.Inert, d.note = true, note
	return d
}
