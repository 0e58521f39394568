package cluster

import "context"

// within waits for the result of a call, or until the context ends. Then the call continues, but no
// goroutine waits for it.
func within[T any](ctx context.Context, call func() (T, error)) (result T, err error) {
	type outcome struct {
		result T
		err    error
	}
	done := make(chan outcome, 1)
	go func() {
		result, err := call()
		done <- outcome{result, err}
	}()
	select {
	case o := <-done:
		return o.result, o.err
	case <-ctx.Done():
		return result, ctx.Err()
	}
}
