package limiters

// DecideAll asks every limiter for its quantity. It returns the index of the first limiter that refuses, -1
// if all allow. If one refuses, the others answer as for a quantity of 0, because they consume nothing. If
// the request charges, all consume, and a limiter refuses if more than all counts. After an error DecideAll
// returns the index of the limiter with the error.
func DecideAll(all []Asked, now int64, charges bool) (refusing int, err error) {
	refusing = -1
	for i := range all {
		a := &all[i]
		if charges {
			err = a.Limiter.Charge(&a.Entry, &a.Answer, now, a.Quantity)
		} else {
			err = a.Limiter.Decide(&a.Entry, &a.Answer, now, a.Quantity)
		}
		if err != nil {
			return i, err
		}
		if a.Answer.Limited && refusing < 0 {
			refusing = i
		}
	}
	if refusing < 0 || charges {
		return refusing, nil
	}
	for i := range all {
		a := &all[i]
		if a.Answer.Limited {
			continue
		}
		if err = a.Limiter.Decide(&a.Entry, &a.Answer, now, 0); err != nil {
			return i, err
		}
	}
	return refusing, nil
}

// ApplyAll applies the decisions of DecideAll. If a limiter refused, only limiters that record
// refused requests have a change to apply.
func ApplyAll(all []Asked, now int64) {
	for i := range all {
		if a := &all[i]; a.Answer.Changed {
			a.Limiter.Apply(&a.Entry, &a.Answer, now)
		}
	}
}
