package contest

import (
	"context"
	"fmt"
	"os"
	"slices"
	"testing"
	"time"
)

// Program lets the helpers of tests run in a program. A failure ends the program.
type Program struct {
	testing.TB
	ctx      context.Context
	cleanups []func()
}

// NewProgram returns a test that is this program.
func NewProgram(ctx context.Context) *Program { return &Program{ctx: ctx} }

// Helper implements [testing.TB], as the other methods do.
func (p *Program) Helper() {}

func (p *Program) Name() string             { return "bench" }
func (p *Program) Context() context.Context { return p.ctx }
func (p *Program) Failed() bool             { return false } // what servers print shows nothing
func (p *Program) Cleanup(clean func())     { p.cleanups = append(p.cleanups, clean) }

func (p *Program) Logf(format string, args ...any) {
	fmt.Fprintf(os.Stderr, time.Now().Format("15:04:05 ")+format+"\n", args...)
}

func (p *Program) Errorf(format string, args ...any) { p.Logf(format, args...) }

func (p *Program) Fatalf(format string, args ...any) {
	p.Errorf(format, args...)
	p.FailNow()
}

// FailNow ends the program.
func (p *Program) FailNow() {
	p.End()
	os.Exit(1)
}

func (p *Program) TempDir() string {
	dir, err := os.MkdirTemp("", "bench")
	if err != nil {
		p.Fatalf("%v", err)
	}
	p.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// End calls what Cleanup has got, the last one first.
func (p *Program) End() {
	all := p.cleanups
	p.cleanups = nil
	for _, clean := range slices.Backward(all) {
		clean()
	}
}
