package httpapi

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"cellserver/httpapi/line"
)

// explanation is the reply of CL.EXPLAIN.
type explanation struct {
	Rule    string `json:"rule"`
	Source  string `json:"source"`
	Shadow  bool   `json:"shadow"`
	Allowed bool   `json:"allowed"`
	numbers
	Tightest int64       `json:"tightest"`
	Limits   []explained `json:"limits"`
}

// numbers are those of a limit. Times are in seconds.
type numbers struct {
	Limit     int64  `json:"limit"`
	Remaining int64  `json:"remaining"`
	Retry     *int64 `json:"retry_after"` // nil for none
	Reset     int64  `json:"reset_after"`
}

// explained is one limit of an explanation.
type explained struct {
	Scope     string           `json:"scope,omitempty"`
	Key       string           `json:"key"`
	Limiter   string           `json:"limiter"`
	Arguments string           `json:"arguments"`
	Words     string           `json:"words,omitempty"`
	Source    string           `json:"source"`
	StateKey  string           `json:"state_key"`
	State     map[string]int64 `json:"state"`
	Allowed   bool             `json:"allowed"`
	numbers
	Window int64 `json:"window"`
}

// explain answers /explain/RULE?key=…: the decision of the rule, limit by limit. It counts nothing.
func (a *API) explain(w http.ResponseWriter, r *http.Request, cfg Config, rule string) *Problem {
	x := a.begin(r, cfg)
	defer x.end()
	if err := x.readQuestion(w, r, rule); err != nil {
		return err
	}
	switch {
	case rule == "" || slices.ContainsFunc(x.rules, func(name string) bool { return !isOf(name, rule) }):
		return wrong("name one rule: /explain/RULE?key=…")
	case x.missing.allow || x.missing.deny || x.missing.skip || x.preflight ||
		x.refused != http.StatusTooManyRequests:
		return wrong("/explain takes key, quantity and charge, and missing with another source")
	case len(x.keys)+len(x.sources) == 0:
		return a.noKey(r, rule, "name a key: key=…")
	}
	if _, err := x.find(w); err != nil {
		return err
	}
	if err := x.setPairs(); err != nil {
		return err
	}
	scopes := make([]string, 0, len(x.keys))
	for pair := range slices.Chunk(x.asked.Pairs, 2) {
		_, scope, _ := strings.Cut(string(pair[0]), "@")
		scopes = append(scopes, scope)
	}
	name, _, _ := strings.Cut(rule, "@")
	args := append([]string{"CL.EXPLAIN", name + "@" + strings.Join(scopes, ",")}, x.keys...)
	if args = append(args, "QUANTITY", strconv.FormatInt(x.asked.Quantity, 10)); x.asked.Charge {
		args = append(args, "CHARGE")
	}
	var e explanation
	if err := a.do(r.Context(), args, func(reply line.Reply) { e.read(&reply) }); err != nil {
		return err
	}
	return writeJSON(w, &e)
}

// isOf reports whether the name of a pair asks the same rule as another.
func isOf(name, rule string) bool {
	name, _, _ = strings.Cut(name, "@")
	rule, _, _ = strings.Cut(rule, "@")
	return name == rule
}

// eachField calls read with the name of each field of a map.
func eachField(r *line.Reply, read func(name string)) {
	for range r.Int() / 2 {
		read(r.Text())
	}
}

func (e *explanation) read(r *line.Reply) {
	eachField(r, func(name string) {
		switch name {
		case "rule":
			e.Rule = r.Text()
		case "source":
			e.Source = r.Text()
		case "shadow":
			e.Shadow = r.Int() != 0
		case "limited":
			e.Allowed = r.Int() == 0
		case "tightest":
			e.Tightest = r.Int()
		case "limits":
			e.Limits = make([]explained, r.Int())
			for i := range e.Limits {
				e.Limits[i].read(r)
			}
		default:
			e.numbers.read(name, r)
		}
	})
}

func (e *explained) read(r *line.Reply) {
	texts := map[string]*string{
		"scope": &e.Scope, "key": &e.Key, "limiter": &e.Limiter, "arguments": &e.Arguments, "words": &e.Words,
		"source": &e.Source, "state_key": &e.StateKey,
	}
	eachField(r, func(name string) {
		switch text := texts[name]; {
		case text != nil:
			*text = r.Text()
		case name == "state":
			e.State = map[string]int64{}
			eachField(r, func(name string) { e.State[name] = r.Int() })
		case name == "limited":
			e.Allowed = r.Int() == 0
		case name == "window":
			e.Window = r.Int()
		default:
			e.numbers.read(name, r)
		}
	})
}

// read reads one of the numbers.
func (n *numbers) read(name string, r *line.Reply) {
	v := r.Int()
	switch name {
	case "limit":
		n.Limit = v
	case "remaining":
		n.Remaining = v
	case "reset_after":
		n.Reset = v
	case "retry_after":
		if v >= 0 {
			n.Retry = &v
		}
	}
}
