package config

import (
	"errors"
	"math"
	"strings"
	"unsafe"

	"cellserver/internal/config/value"
)

// Directive is one row of the table.
type Directive struct {
	Name    string
	Aliases []string // older names, which CONFIG GET and SET also know
	Group   string   // its heading in docs/configuration.md
	Values  string   // the accepted values, in words
	Default string   // in the form of CONFIG GET

	Mutable   bool   // CONFIG SET may change it
	Protected bool   // CONFIG SET may change it if enable-protected-configs allows it
	Sensitive bool   // its value must not be logged
	Hidden    bool   // CONFIG GET shows it for its exact name only, not for a pattern
	Many      bool   // it accepts several arguments
	Inert     bool   // it is checked, kept and shown, and has no effect
	Note      string // why it is inert; "" gives no reason
	OfKeys    bool   // it is about keys or users, which a sidecar does not have

	get func(*Config) string
	set func(*Config, []string) error
}

// Errors of CONFIG SET about the directive, not about its value.
var (
	ErrImmutable = errors.New("can't set immutable config")
	ErrProtected = errors.New("can't set protected config")
	ErrOfHub     = errors.New("this server is a sidecar, where it has no effect: set it at the hub")
)

// Settable reports whether a client may change the directive with CONFIG SET: the result is nil,
// [ErrImmutable], [ErrProtected] or [ErrOfHub]. local says that the client is from the loopback address or
// a unix socket.
func (d *Directive) Settable(c *Config, local bool) error {
	switch {
	case !d.Mutable:
		return ErrImmutable
	case d.Protected && !c.EnableProtectedConfigs.Allows(local):
		return ErrProtected
	case d.OfKeys && len(c.Upstream.Nodes) > 0:
		return ErrOfHub
	}
	return nil
}

// Changes reports whether a value of CONFIG SET would change the directive in c, or is an error.
func (d *Directive) Changes(c *Config, value string) bool {
	other := c.Clone()
	return d.set(other, d.Split(value)) != nil || d.get(other) != d.get(c)
}

// Split splits the value of CONFIG SET into the arguments of [Config.Set]. If the directive accepts several
// arguments, Split cuts at every single space, as Redis does, and "" has no arguments.
func (d *Directive) Split(value string) []string {
	switch {
	case !d.Many:
		return []string{value}
	case value == "":
		return nil
	}
	return strings.Split(value, " ")
}

// Get returns the directive's value in c, as CONFIG GET shows it.
func (d *Directive) Get(c *Config) string { return d.get(c) }

// Set changes the directive's value in c, or returns an error and changes nothing.
func (d *Directive) Set(c *Config, args []string) error { return d.set(c, args) }

// Bounds of Redis's C types.
const (
	minInt  = math.MinInt32
	maxInt  = math.MaxInt32
	maxLong = math.MaxInt64
)

// access is the kind of enable-debug-command and enable-protected-configs.
var access = value.Enum(AccessNo, AccessYes, AccessLocal)

// fields is a Config whose values nobody reads or changes. A row names its field by the address in it.
var fields Config

// field makes a directive whose value is a field of Config. `at` is its address in fields, or field panics.
func field[T any](name string, k value.Kind[T], def string, at *T) Directive {
	offset := uintptr(unsafe.Pointer(at)) - uintptr(unsafe.Pointer(&fields))
	if offset >= unsafe.Sizeof(fields) {
		panic(name + " is no field of Config")
	}
	in := func(c *Config) *T { return (*T)(unsafe.Add(unsafe.Pointer(c), offset)) }
	return Directive{
		Name: name, Values: k.Values, Default: def, Mutable: true, Many: k.Many,
		get: func(c *Config) string { return k.Format(*in(c)) },
		set: func(c *Config, args []string) error {
			v, err := k.Parse(args)
			if err == nil {
				*in(c) = v
			}
			return err
		},
	}
}

// inert makes a directive of Redis that has no effect here. The server checks, keeps and shows its
// value.
func inert[T any](name string, k value.Kind[T], def string) Directive {
	return Directive{
		Name: name, Values: k.Values, Default: def,
		Mutable: true, Many: k.Many, Inert: true,
		get: func(c *Config) string {
			if v, ok := c.inert[name]; ok {
				return v
			}
			return def
		},
		set: func(c *Config, args []string) error {
			v, err := k.Parse(args)
			if err != nil {
				return err
			}
			if c.inert == nil {
				c.inert = map[string]string{}
			}
			c.inert[name] = k.Format(v)
			return nil
		},
	}
}

// ofKeys marks the rows of a group.
func ofKeys(rows []Directive) []Directive {
	for i := range rows {
		rows[i].OfKeys = true
	}
	return rows
}

// group sets the group of its rows.
func group(title string, rows ...Directive) []Directive {
	for i := range rows {
		rows[i].Group = title
	}
	return rows
}

func (d Directive) alias(names ...string) Directive { d.Aliases = names; return d }
func (d Directive) immutable() Directive            { d.Mutable = false; return d }
func (d Directive) protected() Directive            { d.Protected = true; return d }
func (d Directive) sensitive() Directive            { d.Sensitive = true; return d }
func (d Directive) ofKeys() Directive               { d.OfKeys = true; return d }
func (d Directive) hidden() Directive               { d.Hidden = true; return d }

// ignored gives the reason why a directive is inert.
func (d Directive) ignored(note string) Directive {
	d.Inert, d.Note = true, note
	return d
}
