package commands

import "cellserver/store"

// asked is one of several limiters that are asked together, about the entry of its key.
type asked[L limiter] struct {
	limiter L
	entry   store.Entry
	answer  answer
}

// decideAll asks every limiter, and returns the index of the first that limits, -1 when none
// does. Then the others' answers are those to a look: nothing will be taken from them.
func decideAll[L limiter](all []asked[L], now, quantity int64) (refusing int, err error) {
	refusing = -1
	for i := range all {
		a := &all[i]
		if err = a.limiter.decide(&a.entry, &a.answer, now, quantity); err != nil {
			return -1, err
		}
		if a.answer.limited && refusing < 0 {
			refusing = i
		}
	}
	for i := range all {
		a := &all[i]
		if refusing < 0 || a.answer.limited {
			continue
		}
		if err = a.limiter.decide(&a.entry, &a.answer, now, 0); err != nil {
			return -1, err
		}
	}
	return refusing, nil
}

// applyAll stores what was decided. Where one has refused, only what limited requests change
// is left to store.
func applyAll[L limiter](all []asked[L], now int64) {
	for i := range all {
		if a := &all[i]; a.answer.changed {
			a.limiter.apply(&a.entry, &a.answer, now)
		}
	}
}
