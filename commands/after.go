package commands

import "slices"

// After is what a connection does once a command has released its locks, before its reply is sent. The
// commands of EXEC and of a script share it.
type After struct {
	once  []afterOnce
	every []func()
}

// afterOnce is what commands of one kind do together.
type afterOnce struct {
	kind string
	do   func()
}

// Every adds a function.
func (a *After) Every(do func()) { a.every = append(a.every, do) }

// Once adds a function that does the work of every earlier one of its kind, too: it takes their place.
func (a *After) Once(kind string, do func()) {
	for i := range a.once {
		if a.once[i].kind == kind {
			a.once[i].do = do
			return
		}
	}
	a.once = append(a.once, afterOnce{kind, do})
}

// Has reports whether there is a function of a kind.
func (a *After) Has(kind string) bool {
	return slices.ContainsFunc(a.once, func(o afterOnce) bool { return o.kind == kind })
}

// Run calls the functions, and forgets them.
func (a *After) Run() {
	if len(a.every)+len(a.once) > 0 {
		a.run()
	}
}

func (a *After) run() {
	all := *a
	*a = After{}
	for _, do := range all.every {
		do()
	}
	for _, o := range all.once {
		o.do()
	}
}
