package ruleurl

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// service is a rules service. The transport may send a request twice.
type service struct {
	mu     sync.Mutex
	handle http.HandlerFunc
	tags   []string // If-None-Match of each request
}

func (s *service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.tags = append(s.tags, r.Header.Get("If-None-Match"))
	handle := s.handle
	s.mu.Unlock()
	handle(w, r)
}

// use answers the next requests with a handler.
func (s *service) use(handle http.HandlerFunc) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.handle = handle
}

// asked returns the tags of all requests.
func (s *service) asked() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.tags)
}

// answer answers with a text and a tag, and 304 to a request that has this tag.
func answer(text, tag string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if tag != "" && r.Header.Get("If-None-Match") == tag {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		w.Header().Set("ETag", tag)
		_, _ = w.Write([]byte(text))
	}
}

func status(code int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code) }
}

// memory is a copy in memory.
type memory struct {
	text []byte
	full bool
}

func (m *memory) Read() ([]byte, error) {
	if m.text == nil {
		return nil, fs.ErrNotExist
	}
	return m.text, nil
}

func (m *memory) Write(text []byte) error {
	if m.full {
		return errors.New("no space left on device")
	}
	m.text = bytes.Clone(text)
	return nil
}

// world is a source that follows a service. Rules with the word "wrong" are wrong.
type world struct {
	*Source
	service *service
	url     string
	inForce []string // all rules that came into force
	log     bytes.Buffer
	copied  memory
}

func newWorld(t *testing.T) *world {
	w := &world{service: &service{handle: answer("one", `"1"`)}}
	server := httptest.NewServer(w.service)
	t.Cleanup(server.Close)
	w.url = strings.Replace(server.URL, "http://", "http://user:secret@", 1) + "/rules"
	w.Source = w.source()
	return w
}

func (w *world) source() *Source {
	s := &Source{Log: slog.New(slog.NewTextHandler(&w.log, nil)), Copy: &w.copied, Use: func(name string, text []byte) error {
		if strings.Contains(string(text), "wrong") {
			return errors.New(name + ":1: wrong rules")
		}
		w.inForce = append(w.inForce, string(text))
		return nil
	}}
	s.Init()
	return s
}

// poll answers the next request with a handler.
func (w *world) poll(t *testing.T, handle http.HandlerFunc) {
	w.service.use(handle)
	w.Poll(t.Context())
}

func TestPoll(t *testing.T) {
	w := newWorld(t)
	w.Poll(t.Context())
	require.Empty(t, w.service.asked(), "there is no URL")
	require.True(t, w.Follow(w.url))
	require.False(t, w.Follow(w.url))
	w.Await(t.Context())
	w.Await(t.Context())
	require.Len(t, w.service.asked(), 1)
	w.poll(t, answer("one", `"1"`))
	w.poll(t, answer("two", `"2"`))
	w.poll(t, answer("two", ""))
	w.poll(t, answer("two", ""))
	require.Equal(t, []string{"one", "two"}, w.inForce)
	require.Equal(t, []string{"", `"1"`, `"1"`, `"2"`, ""}, w.service.asked())
	require.Equal(t, Interval, w.wait())
	require.NotContains(t, w.log.String()+string(w.copied.text), "secret", "nobody sees the password")
	require.Equal(t, []any{"url", int64(0), false}, []any{w.State().Kind, w.State().Failures, w.State().Failing})
	require.Greater(t, w.State().Right, w.State().Changed, "the same rules again")
}

// TestWrongAnswers keeps the rules in force, and asks less often.
func TestWrongAnswers(t *testing.T) {
	w := newWorld(t)
	w.Follow(w.url)
	w.Poll(t.Context())
	wait := Interval
	for name, handle := range map[string]http.HandlerFunc{
		"wrong rules": answer("wrong", `"w"`),
		"an error":    status(http.StatusInternalServerError),
		"a redirect":  func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/other", http.StatusFound) },
		"no content":  status(http.StatusNoContent),
		"too much":    answer(strings.Repeat("x", MaxBytes+1), ""),
		"a short body": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "10")
			_, _ = w.Write([]byte("x"))
		},
		"large headers":  func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("X", strings.Repeat("x", 2*mostHeaders)) },
		"no answer":      func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
		"wrong rules, 2": answer("wrong, too", ""),
	} {
		w.log.Reset()
		w.poll(t, handle)
		wait = min(2*wait, longest)
		require.Equal(t, wait, w.wait(), name)
		require.Contains(t, w.log.String(), "the previous rules stay in force", name)
		require.Equal(t, `"1"`, w.service.tags[len(w.service.asked())-1], name)
	}
	require.Equal(t, []string{"one"}, w.inForce)
	require.Equal(t, []any{int64(9), true}, []any{w.State().Failures, w.State().Failing})
	w.poll(t, answer("one", `"1"`))
	require.Equal(t, []any{int64(9), false}, []any{w.State().Failures, w.State().Failing})
	require.Equal(t, Interval, w.wait(), "304 ends the back-off")
	require.Equal(t, []string{"one"}, w.inForce)
}

// TestTheFirstAnswerIsWrong: before the first rules of a URL, the log speaks of no previous ones.
func TestTheFirstAnswerIsWrong(t *testing.T) {
	w := newWorld(t)
	w.Follow(w.url)
	for _, handle := range []http.HandlerFunc{answer("wrong", `"w"`), status(http.StatusInternalServerError)} {
		w.log.Reset()
		w.poll(t, handle)
		require.Contains(t, w.log.String(), "no rules of it are in force")
		require.NotContains(t, w.log.String(), "previous")
	}
	w.poll(t, answer("one", ""))
	w.poll(t, answer("wrong", ""))
	require.Contains(t, w.log.String(), "the previous rules stay in force")
}

// dated answers with a text that was modified at an hour.
func dated(text string, hour int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		at := time.Date(2026, 1, 1, hour, 0, 0, 0, time.UTC)
		w.Header().Set("Last-Modified", at.Format(http.TimeFormat))
		_, _ = w.Write([]byte(text))
	}
}

// TestAnOldVersion: a stale copy of the rules, which the time of the answer shows, is refused. The next one
// is not.
func TestAnOldVersion(t *testing.T) {
	w := newWorld(t)
	w.Follow(w.url)
	w.poll(t, dated("two", 2))
	w.poll(t, dated("one", 1))
	require.True(t, w.State().Failing)
	require.Contains(t, w.State().Reason, "answers with an old version: its Last-Modified is 2026-01-01T01:00:00Z")
	require.Equal(t, 1, strings.Count(w.log.String(), "the previous rules stay in force"))
	w.poll(t, dated("two", 2))
	require.False(t, w.State().Failing)
	w.poll(t, dated("three", 3))
	w.poll(t, answer("four", ""))
	require.Equal(t, []string{"two", "two", "three", "four"}, w.inForce)
}

// TestAnOldVersionGetsANewTime: somebody goes back to former rules, and does what the error says.
func TestAnOldVersionGetsANewTime(t *testing.T) {
	w := newWorld(t)
	w.Follow(w.url)
	w.poll(t, dated("two", 2))
	w.poll(t, dated("one", 1))
	w.poll(t, dated("one", 1))
	require.Equal(t, 1, strings.Count(w.log.String(), "are refused"))
	w.poll(t, dated("one", 3))
	require.Equal(t, []string{"two", "one"}, w.inForce)
	require.False(t, w.State().Failing)
	w.poll(t, dated("one", 5))
	w.poll(t, dated("two", 4))
	require.Equal(t, []string{"two", "one"}, w.inForce, "the rules in force have the time of the last answer")
	require.True(t, w.State().Failing)
}

// TestSameWrongRules are logged once.
func TestSameWrongRules(t *testing.T) {
	w := newWorld(t)
	w.Follow(w.url)
	for range 3 {
		w.poll(t, answer("wrong", ""))
	}
	require.Equal(t, 1, strings.Count(w.log.String(), "are refused"))
	require.Equal(t, 8*Interval, w.wait())
}

// TestStartWithoutTheService uses the copy, but not that of another URL.
func TestStartWithoutTheService(t *testing.T) {
	w := newWorld(t)
	w.Follow(w.url)
	w.Poll(t.Context())
	again := w.source()
	again.Follow(w.url)
	require.Equal(t, []string{"one", "one"}, w.inForce)
	asked := w.service.asked()
	again.Await(t.Context())
	require.Equal(t, asked, w.service.asked(), "nobody waits for the service")
	again.Follow(w.url + "/other")
	require.Len(t, w.inForce, 2)

	w.copied.text = append(heading(again.name), "wrong"...)
	third := w.source()
	third.Follow(w.url + "/other")
	require.Contains(t, w.log.String(), "the copy of the last rules is refused")
	w.copied.full = true
	w.poll(t, answer("two", ""))
	require.Equal(t, "two", w.inForce[2], "the rules are in force without a copy")
	require.Contains(t, w.log.String(), "cannot be written")
}

// TestURLChangesMeanwhile drops the answer of the URL that nobody follows any more.
func TestURLChangesMeanwhile(t *testing.T) {
	w := newWorld(t)
	w.Follow(w.url)
	w.poll(t, func(out http.ResponseWriter, r *http.Request) {
		w.Follow("")
		answer("late", "")(out, r)
	})
	require.Empty(t, w.inForce)
}

// TestRun asks at once, then every interval, and at once after Wake.
func TestRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &Source{Log: slog.New(slog.DiscardHandler), Copy: &memory{}, Use: func(string, []byte) error { return nil }}
		s.Init()
		var asked atomic.Int64
		defer func(before http.RoundTripper) { client.Transport = before }(client.Transport)
		client.Transport = roundTrip(func(*http.Request) (*http.Response, error) {
			asked.Add(1)
			return nil, errors.New("nobody is there")
		})
		ctx, stop := context.WithCancel(t.Context())
		s.Follow("http://rules.example/")
		go s.Run(ctx)
		synctest.Wait()
		require.EqualValues(t, 1, asked.Load())
		time.Sleep(2*Interval - 1)
		require.EqualValues(t, 1, asked.Load())
		time.Sleep(time.Nanosecond)
		synctest.Wait()
		require.EqualValues(t, 2, asked.Load())
		s.Wake()
		synctest.Wait()
		require.EqualValues(t, 3, asked.Load())
		time.Sleep(time.Hour)
		synctest.Wait()
		require.InDelta(t, 3+time.Hour/longest, asked.Load(), 3)
		stop()
		synctest.Wait()
	})
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }
