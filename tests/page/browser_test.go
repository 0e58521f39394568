package page

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// A browser is a headless Chromium with one page. It collects what the page complains about, and what the page loads.
type browser struct {
	t   *testing.T
	ctx context.Context

	mu         sync.Mutex
	complaints []string
	loaded     []string
}

// patience is how long the browser may take for anything.
const patience = time.Minute

func browse(t *testing.T, flags ...chromedp.ExecAllocatorOption) *browser {
	t.Helper()
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.NoSandbox, chromedp.DisableGPU, chromedp.ExecPath("chromium"), chromedp.Flag("lang", "en-US"),
		chromedp.WSURLReadTimeout(patience))
	allocator, stop := chromedp.NewExecAllocator(context.Background(), append(options, flags...)...)
	t.Cleanup(stop)
	ctx, leave := chromedp.NewContext(allocator)
	t.Cleanup(leave)
	b := &browser{t: t, ctx: ctx}
	require.NoError(t, chromedp.Listen(ctx, b.hear))
	call(b, runtime.Enable, cdp.Empty{})
	call(b, log.Enable, cdp.Empty{})
	call(b, network.Enable, network.EnableParams{})
	return b
}

// hear takes an event.
func (b *browser) hear(event any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch e := event.(type) {
	case *runtime.EventConsoleAPICalled:
		b.complaints = append(b.complaints, "console: "+string(e.Args[0].Value))
	case *runtime.EventExceptionThrown:
		b.complaints = append(b.complaints, "exception: "+e.ExceptionDetails.Text)
	case *log.EventEntryAdded:
		b.complaints = append(b.complaints, string(e.Entry.Source)+": "+e.Entry.Text)
	case *network.EventRequestWillBeSent:
		b.loaded = append(b.loaded, e.Request.URL)
	}
}

// quiet requires that the page has complained about nothing, except with these texts.
func (b *browser) quiet(expected ...string) {
	b.t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, complaint := range b.complaints {
		known := false
		for _, text := range expected {
			known = known || strings.Contains(complaint, text)
		}
		require.True(b.t, known, complaint)
	}
}

// urls returns what the page has loaded.
func (b *browser) urls() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return append([]string(nil), b.loaded...)
}

// run runs an action and returns its value.
func run[T any](b *browser, action chromedp.Action[T]) T {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	value, err := chromedp.Run(ctx, action)
	require.NoError(b.t, err)
	return value
}

// call sends a command of the protocol.
func call[P, R any](b *browser, command cdp.Command[P, R], params P) R {
	b.t.Helper()
	reply, err := chromedp.Call(b.ctx, command, params)
	require.NoError(b.t, err)
	return reply
}

// eval returns the value of an expression. It awaits a promise.
func eval[T any](b *browser, expression string) T {
	b.t.Helper()
	return run(b, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
}

// wait waits until an expression is true.
func (b *browser) wait(expression string) {
	b.t.Helper()
	require.Eventually(b.t, func() bool { return eval[bool](b, "Boolean("+expression+")") }, patience, 50*time.Millisecond, expression)
}

func (b *browser) open(url string) {
	b.t.Helper()
	run(b, chromedp.Navigate(url))
}

func (b *browser) click(selector string) {
	b.t.Helper()
	run(b, chromedp.Click(chromedp.CSS(selector)))
}

// fill puts a text into a field, in the place of what is there.
func (b *browser) fill(selector, text string) {
	b.t.Helper()
	run(b, chromedp.SetValue(chromedp.CSS(selector), text))
}

// text returns the text of an element.
func (b *browser) text(selector string) string {
	b.t.Helper()
	return run(b, chromedp.TextContent(chromedp.CSS(selector)))
}

// A screen is a size and a colour scheme.
type screen struct {
	name          string
	width, height int64
	phone         bool
	scheme        string
}

var screens = []screen{
	{"light", 1280, 1000, false, "light"}, {"dark", 1280, 1000, false, "dark"},
	{"phone-light", 390, 844, true, "light"}, {"phone-dark", 390, 844, true, "dark"},
}

func (b *browser) use(s screen) {
	b.t.Helper()
	scale := 1.0
	if s.phone {
		scale = 2
	}
	call(b, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{Width: s.width, Height: s.height, DeviceScaleFactor: scale, Mobile: s.phone})
	call(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: s.scheme}}})
}

// press presses a key on the element with the focus.
func (b *browser) press(key string) {
	b.t.Helper()
	run(b, chromedp.KeyEvent(key))
}
