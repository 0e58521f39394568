package rules

import (
	"strconv"

	"cellserver/limiters"
)

// Question asks several rules, and has their answer. A request calls Footprint and Ask.
//
// The rules and their keys alternate in the pairs: name, key, name, key. A rule with scopes occurs once for
// each of its scopes, one after the other. It may name them: name@scope, key. All rules consume the quantity,
// or none does. With Charge all consume it, even if less is left. A rule with SHADOW decides for itself, and
// consumes nothing if another rule refuses.
type Question struct {
	Pairs        [][]byte
	Quantity     int64
	Peek, Charge bool

	Refusing int  // the first rule that refuses; -1 if all allow
	Shadow   bool // only rules with SHADOW were asked
	Tightest limiters.Answer
	Policies []Policy

	words [][]byte // of the text; Pairs are a part of it
	text  []byte
	asking
}

// Policy is one limit of an answer, with its own answer. It is valid until the next question.
type Policy struct {
	Rule   []byte // the name in the question, without scopes
	Scope  string
	Kind   string // such as ":window:2"; "" if the scope has one limit
	Window int64  // nanoseconds in which the whole limit comes back
	Shadow bool
	limiters.Answer
}

// Looks reports whether the request consumes nothing on purpose.
func (q *Question) Looks() bool { return q.Peek || q.Quantity == 0 }

// Words sets the pairs, and returns the question as the command that asks it. There is a key for each rule.
// Or there is one rule for all keys, or one key for all rules. The words are valid until the next question.
func (q *Question) Words(rules, keys []string) [][]byte {
	n := max(len(rules), len(keys))
	q.words, q.text, q.Policies = q.words[:0], q.text[:0], q.Policies[:0]
	q.addWord("CL.MCHECK")
	q.addWord(strconv.Itoa(n))
	for i := range n {
		q.addWord(rules[min(i, len(rules)-1)])
		q.addWord(keys[min(i, len(keys)-1)])
	}
	if q.Quantity != 1 {
		q.addWord("QUANTITY")
		q.addWord(strconv.FormatInt(q.Quantity, 10))
	}
	if q.Peek {
		q.addWord("PEEK")
	}
	if q.Charge {
		q.addWord("CHARGE")
	}
	q.addWord("EXPLAIN")
	q.Pairs = q.words[2 : 2+2*n]
	return q.words
}

func (q *Question) addWord(word string) {
	begin := len(q.text)
	q.text = append(q.text, word...)
	q.words = append(q.words, q.text[begin:len(q.text):len(q.text)])
}

// Rules returns the rules that were asked, in their order. They are valid until Release.
func (q *Question) Rules() []*Check { return q.asked }

// Done ends a question that has ended in an error, or whose transaction goes on. See [Check.Done].
func (q *Question) Done(goesOn bool) {
	for _, one := range q.asked {
		one.Done(goesOn)
	}
}

// Release drops the references to a request, also if it has panicked, and keeps the memory. The words are
// texts of the question itself.
func (q *Question) Release() {
	for i := range q.memory {
		q.memory[i].Release()
	}
	q.Pairs, q.Quantity, q.Peek, q.Charge = nil, 0, false, false
	q.asked, q.wrong, q.planned = q.asked[:0], nil, false
}

// Explain fills the answer, limit by limit.
func (q *Question) Explain() {
	q.Shadow = true
	for i, one := range q.asked {
		a := one.Answer()
		if i == 0 || a.Tighter(&q.Tightest) {
			q.Tightest = a
		}
		q.Shadow = q.Shadow && one.Shadow()
		for i := range one.limits {
			from := &one.chosen[i]
			p := Policy{
				Rule: one.asked, Scope: one.found.Scopes[from.scope].Name, Window: from.limit.Window(),
				Shadow: one.Shadow(), Answer: one.limits[i].Answer,
			}
			if !from.alone {
				p.Kind = from.limit.Kind()
			}
			q.Policies = append(q.Policies, p)
		}
	}
}
