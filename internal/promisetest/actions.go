package promisetest

import "time"

// Action is an action that was allowed. It happened at some time between the question and the reply.
type Action struct{ Asked, Answered time.Duration }

// Promise says what a limit admits at most. The error names what was too much.
type Promise func(all []Action) error
