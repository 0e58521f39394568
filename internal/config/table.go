package config

import (
	"fmt"
	"slices"
	"strings"

	"cellserver/internal/word"
)

var (
	table = slices.Concat(
		networkDirectives, tlsDirectives, securityDirectives, ofKeys(memoryDirectives),
		generalDirectives, limiterDirectives, ofKeys(scriptDirectives), httpDirectives,
		ofKeys(observeDirectives), metricsDirectives, ofKeys(persistenceDirectives),
		ofKeys(clusterDirectives), ofKeys(replicationDirectives), upstreamDirectives, inertDirectives,
	)
	names, byName = indexTable()
)

func indexTable() ([]string, map[string]*Directive) {
	var names []string
	rows := map[string]*Directive{}
	for i := range table {
		for _, name := range append([]string{table[i].Name}, table[i].Aliases...) {
			if rows[name] != nil {
				panic("directive '" + name + "' is twice in the table")
			}
			rows[name] = &table[i]
			names = append(names, name)
		}
	}
	return names, rows
}

// Directives returns a copy of the table.
func Directives() []Directive { return slices.Clone(table) }

// Names returns every name and alias, in the order of the table.
func Names() []string { return slices.Clone(names) }

// Lookup returns the directive with this name or alias, in any case.
func Lookup(name string) (*Directive, bool) {
	d, ok := byName[strings.ToLower(name)]
	return d, ok
}

// Default returns the configuration without any source.
func Default() *Config {
	c := &Config{}
	for i := range table {
		d := &table[i]
		if d.Inert {
			continue
		}
		if err := d.set(c, d.Split(d.Default)); err != nil {
			panic(fmt.Sprintf("default of '%s': %v", d.Name, err))
		}
	}
	return c
}

// Get returns a directive's value as CONFIG GET shows it: memory in bytes, lists joined by spaces. It reports
// false for an unknown name. Case does not matter.
func (c *Config) Get(name string) (string, bool) {
	d, ok := Lookup(name)
	if !ok {
		return "", false
	}
	return d.get(c), true
}

// Set changes a directive's value, or returns an error and changes nothing. The text of the error is Redis's
// text after "CONFIG SET failed (possibly related to argument 'x') - ". Set does not check
// [Directive.Settable].
func (c *Config) Set(name string, args []string) error {
	d, ok := Lookup(name)
	if !ok {
		return ErrUnknown(name)
	}
	return d.set(c, args)
}

// ErrUnknown returns the error for a name that is not a directive. It suggests the nearest
// directive.
func ErrUnknown(name string) error {
	if before, _, _ := strings.Cut(name, "="); byName[before] != nil {
		return fmt.Errorf("unknown directive '%s': did you mean '%s', with a space instead of '='?", name, before)
	}
	if near, ok := Nearest(name); ok {
		return fmt.Errorf("unknown directive '%s': did you mean '%s'?", name, near)
	}
	return fmt.Errorf("unknown directive '%s'", name)
}

// Nearest returns the directive that a misspelled name probably means.
func Nearest(name string) (string, bool) { return word.Nearest(name, names) }
