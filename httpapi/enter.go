package httpapi

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"cellserver/resp"
)

// entering and leaving are the rows of /enter and /leave. The fields of their lists that are not plain
// options have functions of their own below.
var (
	entering = limiter{
		command: "CL.ENTER", required: []string{"key", "lease", "holder"},
		options: []string{"start", "window", "tolerance", "upto", "peek"},
	}
	leaving = limiter{command: "CL.LEAVE", required: []string{"key", "holder"}}
)

// enter answers /enter: whether a call of a service may begin, within a limit that the server finds. It sends
// none of the headers of limits, because they speak of rates.
func (a *API) enter(w http.ResponseWriter, r *http.Request, _ Config, _ string) *Problem {
	body, err := readFields(w, r)
	if err != nil {
		return err
	}
	var words []string
	for _, take := range []func(fields) ([]string, *Problem){takeAlgorithm, takeBounds, takePartitions} {
		more, err := take(body)
		if err != nil {
			return err
		}
		words = append(words, more...)
	}
	args, err := entering.args(body)
	if err != nil {
		return err
	}
	d := decision{hidden: true}
	if err := a.do(r.Context(), append(args, words...), func(reply resp.Reply) {
		reply.Int() // the number of elements
		d.decide(readAnswer(&reply))
	}); err != nil {
		return err
	}
	d.write(w, http.StatusTooManyRequests)
	return nil
}

// takeAlgorithm removes the algorithm from a body, with the latency of AIMD.
func takeAlgorithm(body fields) ([]string, *Problem) {
	name, ok, err := body.take("algorithm")
	if err != nil || !ok {
		return nil, err
	}
	if !slices.Contains([]string{"gradient", "gradient2", "vegas", "aimd"}, strings.ToLower(name)) {
		return nil, mustBe("algorithm", "gradient, gradient2, vegas or aimd", name)
	}
	if !strings.EqualFold(name, "aimd") {
		return []string{name}, nil
	}
	latency, ok, err := body.take("latency")
	if err == nil && !ok {
		err = wrong("latency is missing: aimd needs the seconds that a call may take")
	}
	return []string{name, latency}, err
}

// takeBounds removes least and most from a body. Both are there, or neither.
func takeBounds(body fields) ([]string, *Problem) {
	words := []string{"BETWEEN"}
	for _, name := range []string{"least", "most"} {
		word, ok, err := body.take(name)
		if err != nil {
			return nil, err
		}
		if ok {
			words = append(words, word)
		}
	}
	switch len(words) {
	case 1:
		return nil, nil
	case 2:
		return nil, wrong("least and most go together: give both")
	}
	return words, nil
}

// takePartitions removes the partition of the call, and the percentages of all partitions, from a body.
func takePartitions(body fields) ([]string, *Problem) {
	own, ok, err := body.take("partition")
	all := body["partitions"]
	delete(body, "partitions")
	shares, isObject := all.(map[string]any)
	switch {
	case err != nil:
		return nil, err
	case !ok && all == nil:
		return nil, nil
	case !ok || all == nil:
		return nil, wrong("partition and partitions go together: give both")
	case !isObject || len(shares) > maxRules:
		return nil, mustBe("partitions", `an object such as {"live": 70, "batch": 30}`, all)
	}
	words := []string{"PARTITION", own, "OF"}
	for _, name := range slices.Sorted(maps.Keys(shares)) {
		// A partition may have the name of a field.
		percent, err := wordOf(fmt.Sprintf("%.40s", name), shares[name])
		if err != nil {
			return nil, err
		}
		words = append(words, name, percent)
	}
	return words, nil
}

// leave answers /leave: a call has ended.
func (a *API) leave(w http.ResponseWriter, r *http.Request, _ Config, _ string) *Problem {
	body, err := readFields(w, r)
	if err != nil {
		return err
	}
	var words []string
	outcomes := []string{"ok", "drop", "ignore"}
	for _, name := range []string{"latency", "outcome"} {
		word, ok, err := body.take(name)
		switch {
		case err != nil:
			return err
		case ok && name == "outcome" && !slices.Contains(outcomes, strings.ToLower(word)):
			return mustBe(name, "ok, drop or ignore", word)
		case ok:
			words = append(words, word)
		}
	}
	args, err := leaving.args(body)
	if err != nil {
		return err
	}
	var left struct {
		Left  bool  `json:"left"` // the holder had a permit
		Limit int64 `json:"limit"`
	}
	if err := a.do(r.Context(), append(args, words...), func(reply resp.Reply) {
		reply.Int() // the number of elements
		left.Left, left.Limit = reply.Int() != 0, reply.Int()
	}); err != nil {
		return err
	}
	return writeJSON(w, &left)
}
