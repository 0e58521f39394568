package ruleset

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"cellserver/store"
)

// News says what happened when the rules of a file or a URL came into force.
type News struct {
	Source  string   // the name of the file or the URL; "" for none
	Rules   int      // how many the source has now
	Changes []Change // sorted by the name of the rule
	Hidden  []string // rules of the source that rules of CL.RULE SET hide
}

// Change is a change of one rule, or of the limits of one key.
type Change struct {
	Rule       string
	Scope, Key string // of an override; Scope is "" for the rule itself
	Old, New   string // the limits; "" for none
	Hides      string // the limits of the rule of the file that the rule hides now
}

// mostNames bounds the names in one line of the log.
const mostNames = 10

// Summary returns the news as attributes of a log line: the number of rules. Then it has the names
// of rules that are gone, new, changed or hidden.
func (n News) Summary() []any {
	var gone, added, changed []string
	for _, c := range n.Changes {
		switch {
		case c.Scope == "" && c.New == "":
			gone = append(gone, c.Rule)
		case c.Scope == "" && c.Old == "":
			added = append(added, c.Rule)
		default:
			changed = append(changed, c.Rule)
		}
	}
	summary := []any{"rules", n.Rules}
	for _, group := range []struct {
		what  string
		names []string
	}{{"gone", gone}, {"new", added}, {"changed", slices.Compact(changed)}, {"hidden", n.Hidden}} {
		if len(group.names) > 0 {
			summary = append(summary, group.what, shortList(group.names))
		}
	}
	return summary
}

func shortList(names []string) string {
	if more := len(names) - mostNames; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:mostNames], " "), more)
	}
	return strings.Join(names, " ")
}

// newsOf compares the rules of a source with those before them. The first rules of a source are no
// change. stored are the rules of CL.RULE SET. Both may be nil.
func newsOf(source string, before, after, stored *set) News {
	n := News{Source: source, Rules: len(after.byName)}
	if before == nil {
		before = after
	}
	names := maps.Clone(before.byName)
	maps.Copy(names, after.byName)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		n.Changes = append(n.Changes, changesOf(name, before.byName[name], after.byName[name])...)
	}
	n.Hidden = hiddenNames(stored, after)
	return n
}

// hiddenNames returns the rules of the file that rules of CL.RULE SET hide. Both sets may be nil.
func hiddenNames(stored, file *set) []string {
	if stored == nil || file == nil {
		return nil
	}
	visible := func(name string) bool { return stored.byName[name] == nil }
	return slices.DeleteFunc(slices.Sorted(maps.Keys(file.byName)), visible)
}

// changesOf compares two rules of a name. Either may be nil.
func changesOf(name string, before, after *Rule) (all []Change) {
	c := Change{Rule: name}
	overridden := map[Overridden]*Change{} // by scope and key
	var order []*Change
	for _, one := range []struct {
		rule *Rule
		now  bool
	}{{before, false}, {after, true}} {
		if one.rule == nil {
			continue
		}
		*c.side(one.now) = one.rule.text
		for _, o := range one.rule.listOverrides() {
			key := Overridden{Scope: o.Scope, Key: o.Key}
			if overridden[key] == nil {
				overridden[key] = &Change{Rule: name, Scope: o.Scope, Key: o.Key}
				order = append(order, overridden[key])
			}
			*overridden[key].side(one.now) = o.Limits
		}
	}
	if c.Old != c.New {
		all = append(all, c)
	}
	for _, o := range order {
		if o.Old != o.New {
			all = append(all, *o)
		}
	}
	return all
}

// side returns the limits before the change, or those of now.
func (c *Change) side(now bool) *string {
	if now {
		return &c.New
	}
	return &c.Old
}

// Observe makes a change, and says what it has changed: `c` names the rule, or one of its overrides.
func (r *Rules) Observe(tx *store.Tx, c Change, do func() error) (Change, error) {
	r.describe(tx, &c, false)
	err := do()
	if err == nil {
		r.describe(tx, &c, true)
	}
	return c, err
}

// describe notes the limits in force before a change, or those of now.
func (r *Rules) describe(tx *store.Tx, c *Change, now bool) {
	all := r.Load(tx)
	c.Hides = all.hidden(c.Rule)
	one := all.find([]byte(c.Rule))
	switch {
	case one == nil:
	case c.Scope == "":
		*c.side(now) = one.text
	default:
		if s := one.scopeOf(c.Scope); s != nil {
			if o := s.overrides.get([]byte(c.Key)); o != nil {
				*c.side(now) = o.text
			}
		}
	}
}

// hidden returns the limits of the rule of the file that a rule of CL.RULE SET hides, "" if it hides none.
func (s Sources) hidden(name string) string {
	if s.file == nil || s.stored == nil || s.stored.byName[name] == nil || s.file.byName[name] == nil {
		return ""
	}
	return s.file.byName[name].text
}
