package httpapi

import (
	"encoding/json"
	"maps"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"cellserver/internal/quote"
	"cellserver/resp"
)

// limiter is a row: how a body becomes the command of a limiter.
type limiter struct {
	command  string
	required []string // fields that come first, in their order
	quantity bool     // the next word is the quantity
	options  []string // fields that become options; true is the option alone
	window   func(body fields) float64
	always   bool // the reply is 200, because the action is counted in any case
}

// rows are the limiters of /throttle by their name in a body.
var rows = map[string]limiter{
	"throttle": {command: "CL.THROTTLE", required: rate, quantity: true, options: looks, window: rateWindow},
	"charge":   {command: "CL.CHARGE", required: rate, quantity: true, options: looks, window: rateWindow, always: true},
	"window": {
		command: "CL.WINDOW", required: period, quantity: true, window: periodWindow,
		options: append(slices.Clone(aligns), charges...),
	},
	"sliding": {
		command: "CL.SLIDING", required: period, quantity: true, window: periodWindow, options: looks,
	},
	"log": {
		command: "CL.LOG", required: period, quantity: true, window: periodWindow,
		options: []string{"gap", "strict", "resolution", "peek"},
	},
	"pace": {
		command: "CL.PACE", required: rate, quantity: true, window: rateWindow,
		options: []string{"maxwait", "warmup", "peek"},
	},
	"acquire": {command: "CL.ACQUIRE", required: []string{"key", "limit", "lease", "holder"}, options: looks},
}

var (
	rate   = []string{"key", "max_burst", "count", "period"}
	period = []string{"key", "limit", "period"}
	looks  = []string{"peek"}
	aligns = []string{"align", "day", "tz"}

	charges = []string{"charge", "peek"}
)

// several are the rows of limiters that decide together: of each limit, and the options of all.
var several = map[string]struct {
	each    limiter
	options []string
}{
	"mthrottle": {
		limiter{command: "CL.MTHROTTLE", required: rate, window: rateWindow}, []string{"quantity", "peek"},
	},
	"mwindow": {limiter{
		command: "CL.MWINDOW", required: period, quantity: true, window: periodWindow,
		options: append(slices.Clone(aligns), "by"),
	}, charges},
}

// throttle answers /throttle: a limiter with its parameters in the body.
func (a *API) throttle(w http.ResponseWriter, r *http.Request, _ Config, _ string) *Problem {
	body, err := readFields(w, r)
	if err != nil {
		return err
	}
	name := "throttle"
	if given, ok := body["limiter"]; ok {
		if name, ok = given.(string); !ok {
			return mustBe("limiter", "a text in quotes", given)
		}
		delete(body, "limiter")
	} else if text, inWords := body["limit"].(string); inWords {
		if name, err = body.inNumbers(text); err != nil {
			return err
		}
	}
	if row, ok := rows[name]; ok {
		return a.throttleOne(w, r, name, &row, body)
	}
	if row, ok := several[name]; ok {
		return a.throttleAll(w, r, name, &row.each, row.options, body)
	}
	if name == "release" {
		return a.release(w, r, body)
	}
	return wrong("limiter %s is not one: use %s, mthrottle, mwindow or release", quote.Word(name),
		strings.Join(slices.Sorted(maps.Keys(rows)), ", "))
}

// throttleOne asks one limiter.
func (a *API) throttleOne(w http.ResponseWriter, r *http.Request, name string, row *limiter, body fields) *Problem {
	var d decision
	window, refused := int64(0), row.refused(body)
	if row.window != nil {
		window = wholeSeconds(row.window(body))
	}
	args, err := row.args(body)
	if err != nil {
		return err
	}
	if err := a.do(r.Context(), args, func(reply resp.Reply) {
		d.readOne(&reply, name, window)
	}); err != nil {
		return err
	}
	d.write(w, refused)
	return nil
}

// refused returns the status of a refusal.
func (l *limiter) refused(body fields) int {
	if l.always || body["charge"] == true {
		return http.StatusOK
	}
	return http.StatusTooManyRequests
}

// args returns the command of a body, which it empties.
func (l *limiter) args(body fields) ([]string, *Problem) {
	args := []string{l.command}
	for _, name := range l.required {
		word, ok, err := body.take(name)
		if err != nil {
			return nil, err
		}
		if !ok || name == "key" && word == "" {
			return nil, wrong("%s is missing", name)
		}
		args = append(args, word)
	}
	if l.quantity {
		word, ok, err := body.take("quantity")
		if err != nil {
			return nil, err
		}
		if !ok {
			word = "1"
		}
		args = append(args, word)
	}
	for _, name := range l.options {
		words, err := body.takeOption(name)
		if err != nil {
			return nil, err
		}
		args = append(args, words...)
	}
	return args, body.empty()
}

// release answers for CL.RELEASE.
func (a *API) release(w http.ResponseWriter, r *http.Request, body fields) *Problem {
	row := limiter{command: "CL.RELEASE", required: []string{"key", "holder"}}
	args, err := row.args(body)
	if err != nil {
		return err
	}
	released := false
	if err := a.do(r.Context(), args, func(reply resp.Reply) { released = reply.Int() != 0 }); err != nil {
		return err
	}
	return writeJSON(w, map[string]bool{"released": released})
}

// throttleAll answers for several limits, all or none. options are those of all of them.
func (a *API) throttleAll(
	w http.ResponseWriter, r *http.Request, name string, each *limiter, options []string, body fields,
) *Problem {
	list, _ := body["limits"].([]any)
	delete(body, "limits")
	if len(list) == 0 || len(list) > maxRules {
		return wrong("limits must be a list of 1 to %d limits", maxRules)
	}
	args, windows := []string{each.command, strconv.Itoa(len(list))}, make([]int64, len(list))
	for i, one := range list {
		of, _ := one.(map[string]any)
		windows[i] = wholeSeconds(each.window(of))
		words, err := each.args(of)
		if err != nil {
			return err
		}
		args = append(args, words[1:]...)
	}
	refused := each.refused(body)
	words, err := (&limiter{options: options}).args(body)
	if err != nil {
		return err
	}
	var d decision
	if err := a.do(r.Context(), append(args, words[1:]...), func(reply resp.Reply) {
		d.readAll(reply, name[1:], windows)
	}); err != nil {
		return err
	}
	d.write(w, refused)
	return nil
}

// rateWindow returns the seconds in which a whole burst comes back, 0 if the numbers are wrong.
func rateWindow(body fields) float64 {
	return (body.number("max_burst") + 1) * body.number("period") / body.number("count")
}

func periodWindow(body fields) float64 { return body.number("period") }

// number returns a number of a body, 0 if there is none.
func (f fields) number(name string) float64 {
	n, _ := f[name].(json.Number)
	v, _ := n.Float64()
	return v
}

// wholeSeconds rounds up. The result is 0 for a number that cannot be a window.
func wholeSeconds(seconds float64) int64 {
	if up := math.Ceil(seconds); up >= 1 && up <= maxInteger {
		return int64(up)
	}
	return 0
}
