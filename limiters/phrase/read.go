package phrase

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"cellserver/internal/quote"
	"cellserver/internal/word"
)

// MaxBytes is the longest text of a limit.
const MaxBytes = 256

// Meaning is what a text means.
type Meaning struct {
	Command string // of a limiter, as a rule has it: CL.LOG 100 60
	Scope   string // whose key counts; "" if the text does not say it
}

// Is reports whether a word begins a limit in words: it is a number, or begins as one.
func Is(word []byte) bool {
	r, _ := utf8.DecodeRune(word)
	sign := len(word) > 1 && (r == '-' || r == '+' || r == '.') && '0' <= word[1] && word[1] <= '9'
	before, _, _ := strings.Cut(string(word), "/")
	return unicode.IsDigit(r) || sign || numberWord(before) > 0
}

// Read returns the meaning of a limit in words.
func Read(text string) (Meaning, error) {
	if len(text) > MaxBytes {
		return Meaning{}, failf("a limit in words has at most %d bytes", MaxBytes)
	}
	r := reader{words: wordsIn(text)}
	if r.count = r.number("the limit", useBlock); r.err == nil {
		r.concurrency(text)
		r.noun()
		r.concurrency(text)
	}
	for r.err == nil && len(r.words) > 0 {
		r.part()
	}
	if r.err == nil && r.unit == nil {
		r.failf("a period is missing after %s: write %s/minute or %s per 10 minutes",
			quote.Word(text), r.said, r.said)
	}
	if r.err != nil {
		return Meaning{}, r.err
	}
	command, err := r.command()
	return Meaning{command, r.scope}, err
}

// options are the words that may begin an option. A comma may stand before them.
var options = []string{"burst", "with", "in", "by", "per"}

// wordsIn splits a text into words, without the commas before options.
func wordsIn(text string) []string {
	words := strings.Fields(text)
	for i := range max(len(words)-1, 0) {
		if slices.Contains(options, strings.ToLower(words[i+1])) && len(words[i]) > 1 {
			words[i] = strings.TrimSuffix(words[i], ",")
		}
	}
	return words
}

// failf returns an error.
func failf(format string, args ...any) error { return fmt.Errorf(format, args...) }

// reader reads the words of a limit from left to right.
type reader struct {
	words []string // not read yet
	said  string   // the first word
	limit
	err error // the first one
}

func (r *reader) failf(format string, args ...any) {
	if r.err == nil {
		r.err = failf(format, args...)
	}
}

// next removes a word. It returns "" after the last one.
func (r *reader) next() string {
	if len(r.words) == 0 {
		return ""
	}
	w := r.words[0]
	r.words = r.words[1:]
	return w
}

// piece removes a word up to a slash. The slash and what follows stay.
func (r *reader) piece() string {
	w := r.next()
	if i := strings.IndexByte(w, '/'); i > 0 {
		r.words = append([]string{w[i:]}, r.words...)
		return w[:i]
	}
	return w
}

// peek returns the piece that comes next, in lower case.
func (r *reader) peek() string {
	if len(r.words) == 0 {
		return ""
	}
	before, _, _ := strings.Cut(r.words[0], "/")
	return strings.ToLower(before)
}

// skip removes a word that may be left out, if it comes next and `before` follows it. It reports whether it
// did.
func (r *reader) skip(name, before string) bool {
	follows := before == "" || len(r.words) > 1 && strings.EqualFold(r.words[1], before)
	if r.peek() != name || !follows {
		return false
	}
	r.next()
	return true
}

// number reads a number. `what` names it in errors. `remedy` ends the error of one that is not positive.
func (r *reader) number(what, remedy string) int64 {
	w := r.piece()
	if r.said == "" {
		r.said = w
	}
	if w == "" {
		r.failf("%s is missing: write a number", what)
		return 0
	}
	n, err := numberOf(w, remedy)
	if err != nil {
		r.failf("%v", err)
	}
	return n
}

// concurrency refuses what only CL.ACQUIRE can limit.
func (r *reader) concurrency(text string) {
	rest := strings.ToLower(strings.Join(r.words, " ")) + " "
	for _, w := range []string{
		"at once ", "at a time ", "at the same time ", "at one time ", "concurrent", "in parallel ",
		"parallel ", "simultaneous",
	} {
		if strings.HasPrefix(rest, w) {
			r.failf("%s limits concurrent actions, which no limit in words can: use CL.ACQUIRE key %d lease "+
				`holder, or "limiter": "acquire" over HTTP`, quote.Word(text), r.count)
		}
	}
}

// noun reads what is counted, if the next word says that. A word before a slash or a period must be a noun.
func (r *reader) noun() {
	name := r.peek()
	switch {
	case isNoun(name):
		r.piece()
	case name == "" || slices.Contains(starts, name) || instead[name] != "":
	case name == "r":
		r.failf("'r' is not a noun of a limit: write requests, such as %d requests per second", r.count)
	case len(name) < len(r.words[0]),
		len(r.words) > 1 && slices.Contains(starts, strings.ToLower(r.words[1])):
		r.failf("%s is not a noun of a limit: write requests, calls, tokens, another one, or no noun%s",
			quote.Word(name), hint(name, nouns))
	}
}

// starts are the words that may stand before a period.
var starts = []string{"per", "a", "an", "each", "every", "in"}

// part reads the period, the scope or an option.
func (r *reader) part() {
	w := r.next()
	slash := w[0] == '/'
	if slash && len(w) > 1 {
		r.words = append([]string{w[1:]}, r.words...)
	}
	name := strings.ToLower(w)
	switch {
	case slash && r.unit == nil:
		r.period("/")
	case slash:
		r.failf("%s: %s; a scope is per and its name", quote.Word(w), twoPeriods)
	case name == "per" && r.isPeriod():
		r.period(w)
	case name == "per":
		r.scopeOf()
	case r.unit == nil && slices.Contains(starts, name):
		r.period(w)
	case r.unit == nil:
		if w, _, _ = strings.Cut(w, "/"); isNoun(strings.ToLower(w)) {
			r.failf("%s is a second noun: write one noun before the period, or none", quote.Word(w))
		}
		r.failf("%s is not a period: after %s may stand /minute, a minute or per 10 minutes%s",
			quote.Word(w), r.said, hint(w, slices.Concat(starts, nouns, longSpellings)))
	case name == "with" && (r.skip("a", "burst") || r.peek() == "burst"):
	case name == "burst" && r.burst == 0:
		r.skip("of", "")
		r.burst = r.number("the number after burst", "")
	case name == "in" && !r.windows && r.zone == "":
		r.windowsOrZone()
	case name == "by" && !r.clock:
		r.byTheClock()
	default:
		r.failf("%s cannot stand here: after the period may stand %s%s", quote.Word(w), useOptions,
			hint(w, slices.Concat(options, []string{"windows"})))
	}
}

const (
	useOptions = "burst 20, in windows, by the clock, in Europe/Berlin, or per and the name of a scope; " +
		joins
	joins      = "a rule joins two limits with AND, or with a list in its file"
	twoPeriods = "there are two periods: " + joins
)

// isPeriod reports whether a period comes next.
func (r *reader) isPeriod() bool {
	next := r.peek()
	return r.unit == nil && next == "" || Is([]byte(next)) || unitOf(next) != nil ||
		r.unit == nil && instead[next] != ""
}

// period reads a number of units, or one unit. after is the word before it.
func (r *reader) period(after string) {
	if r.unit != nil {
		r.failf("%s: %s", quote.Word(after+" "+r.piece()), twoPeriods)
		return
	}
	if strings.EqualFold(after, "in") && !r.skip("a", "") {
		r.skip("an", "")
	}
	name := r.piece()
	r.times = 1
	if Is([]byte(name)) {
		digits := name
		if _, err := numberOf(name, ""); err != nil {
			digits = strings.TrimRightFunc(name, unicode.IsLetter) // the letters of 15m are the unit
		}
		r.times, r.err = numberOf(digits, "")
		if name = name[len(digits):]; name == "" {
			after, name = digits, r.piece()
		}
	}
	switch r.unit = unitOf(name); {
	case r.unit != nil:
	case name == "":
		r.failf("a unit of time is missing after %s: %s", quote.Word(after), useUnits)
	case strings.ContainsAny(name, ",;"):
		r.failf("%s is not a unit of time: %s; %s", quote.Word(name), useUnits, joins)
	default:
		r.failf("%s is not a unit of time: %s%s", quote.Word(name), useUnits, hint(name, spellings))
	}
}

// scopeOf reads the name of a scope.
func (r *reader) scopeOf() {
	name := r.next()
	lower := strings.ToLower(name)
	near, isNear := word.Nearest(name, longSpellings)
	isNear = isNear && len(name) >= 4 || instead[lower] != ""
	switch {
	case name == "":
		r.failf("the name of a scope is missing after 'per'")
	case r.scope != "":
		r.failf("'per' %s and 'per' %s: a limit has one scope", quote.Word(r.scope), quote.Word(name))
	case slices.Contains(slices.Concat(starts, options, []string{"scope", "shadow"}), lower):
		r.failf("%s is not the name of a scope after 'per': write per org, or SCOPE and the name "+
			"before the limit", quote.Word(name))
	case isNear:
		r.failf("%s after 'per' is near %s: for a scope of this name write SCOPE and its name "+
			"before the limit", quote.Word(name), cmp.Or(near, "a unit of time"))
	}
	r.scope = name
}

// windowsOrZone reads the rest of "in windows" or "in Europe/Berlin".
func (r *reader) windowsOrZone() {
	switch name := r.next(); strings.ToLower(name) {
	case "":
		r.failf("a word is missing after 'in': write in windows, or in and a time zone such as Europe/Berlin")
	case "windows", "window":
		r.windows = true
	default:
		r.zone = name
	}
}

func (r *reader) byTheClock() {
	if w := r.next() + " " + r.next(); !strings.EqualFold(w, "the clock") {
		r.failf("'by' %s cannot stand here: write by the clock", quote.Word(strings.TrimSpace(w)))
	}
	r.clock = true
}
