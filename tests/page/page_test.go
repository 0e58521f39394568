package page

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"cellserver/internal/porttest"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// TestLive: the page shows the numbers of the server and follows them. It loads nothing from elsewhere.
func TestLive(t *testing.T) {
	s := start(t, "--http-page", "write")
	s.rules()
	b := browse(t)
	b.open(s.page)
	b.wait(`document.querySelector("#state").textContent.trim() === "Works"`)
	b.wait(`document.querySelector("#decisions").textContent === "0"`)
	require.Equal(t, "5", eval[string](b, `String(document.querySelectorAll("#rules tbody tr").length)`))
	require.Equal(t, "CL.SLIDING 30 10", eval[string](b, `document.querySelector("#rules tbody tr:nth-child(4) td").textContent`))
	s.traffic(3000)
	b.wait(`Number(document.querySelector("#decisions").textContent.replace(",", "")) > 50`)
	b.wait(`document.querySelector("#refused").parentElement.matches(".some")`)
	b.wait(`[...document.querySelectorAll("#rules tbody tr")].some((row) => /^login/.test(row.textContent) && row.querySelector(".some"))`)
	b.wait(`document.querySelectorAll("#commands tbody tr").length === 2`)
	b.wait(`/p50 .*s, p99.9 .*s in the last 10 s/.test(document.querySelector("#latency-under").textContent)`)
	b.wait(`document.querySelector("#flow .allowed-line").getAttribute("d").includes("L")`)
	before := b.text("#decisions-under")
	b.wait(`document.querySelector("#decisions-under").textContent !== "` + before + `"`)

	require.Contains(t, b.text("#top-empty"), "hidden")
	require.NotContains(t, eval[string](b, `document.documentElement.outerHTML`), "user:", "names of keys are hidden")
	require.Equal(t, "+OK\r\n", s.do("CONFIG SET http-page-keys yes"))
	b.wait(`/mail:\d+/.test(document.querySelector("#top").textContent)`)

	b.click("#pause")
	require.Equal(t, "Go on", b.text("#pause"))
	b.click("#pause")
	b.wait(`document.querySelector("#state").textContent.trim() === "Works"`)
	for _, url := range b.urls() {
		require.True(t, strings.HasPrefix(url, s.page+"/"), url)
	}
	b.quiet()
}

// TestLeasesAreShown: the page shows who leases units, once somebody does.
func TestLeasesAreShown(t *testing.T) {
	s := start(t)
	b := browse(t)
	b.open(s.page)
	b.wait(`document.querySelector("#decisions").textContent === "0"`)
	require.False(t, eval[bool](b, `document.querySelector("#leases").checkVisibility()`))
	require.Equal(t, "+OK\r\n", s.do("CLIENT SETINFO LIB-NAME cellserver-sidecar"))
	require.Equal(t, "+OK\r\n", s.do("CLIENT SETNAME web-1"))
	b.wait(`document.querySelector("#leases").checkVisibility()`)
	s.do("CL.LEASE 25 1000 CL.WINDOW w 1000 60")
	b.wait(`/25 units in 1 question/.test(document.querySelector("#leases").textContent)`)
	b.wait(`/^web-1 127.0.0.1:\d+/.test(document.querySelector("#holders tbody th").textContent)`)
	b.wait(`document.querySelector("#holders tbody td:last-child").textContent === "25"`)
	b.quiet()
}

// TestAMoveIsShown: the page says whom the server follows, and that the link is down.
func TestAMoveIsShown(t *testing.T) {
	s := start(t)
	b := browse(t)
	b.open(s.page)
	b.wait(`document.querySelector("#state").textContent.trim() === "Works"`)
	require.NotContains(t, b.text("#cluster"), "Follows")
	nobody := fmt.Sprint(porttest.Free(t))
	require.Equal(t, "+OK\r\n", s.do("REPLICAOF 127.0.0.1 "+nobody))
	b.wait(`document.querySelector("#state").textContent.trim() === "The link to the master is down"`)
	require.Contains(t, b.text("#cluster"), "127.0.0.1:"+nobody+", the link is down: see INFO replication")
	require.Equal(t, "+OK\r\n", s.do("REPLICAOF NO ONE"))
	b.wait(`document.querySelector("#state").textContent.trim() === "Works"`)
	b.quiet()
}

// TestRuleIsChanged: a person changes a rule, with the keyboard alone, makes one and deletes it.
func TestRuleIsChanged(t *testing.T) {
	s := start(t, "--http-page", "write")
	require.Equal(t, "+OK\r\n", s.do("CL.RULE SET login CL.THROTTLE 4 5 60"))
	b := browse(t)
	b.open(s.page)
	b.wait(`document.querySelector("#rules button")?.checkVisibility()`)
	eval[bool](b, `document.querySelector("#rules button").focus() ?? true`)
	b.press("\r")
	b.wait(`document.querySelector("#rule").open`)
	require.Equal(t, "rule-limits", eval[string](b, `document.activeElement.id`))
	require.Equal(t, "5/minute burst 5", eval[string](b, `document.querySelector("#rule-limits").value`))
	require.Equal(t, "In force as CL.THROTTLE 4 5 60", b.text("#rule-command"))
	b.fill("#rule-limits", "100/minuet")
	b.click("#rule-save")
	b.wait(`document.querySelector("#rule-error").textContent.endsWith("did you mean minute?")`)
	b.fill("#rule-limits", "CL.WINDOW -1 60")
	b.click("#rule-save")
	b.wait(`document.querySelector("#rule-error").textContent === "limit '-1' must not be negative"`)
	b.fill("#rule-limits", "seven requests per minute in windows")
	b.click("#rule-shadow")
	b.click("#rule-save")
	b.wait(`!document.querySelector("#rule").open`)
	require.Equal(t, "$21\r\nCL.WINDOW 7 60 SHADOW\r\n", s.do("CL.RULE GET login"))
	require.Equal(t, "The rule login is in force as CL.WINDOW 7 60 SHADOW.", b.text("#news"))
	require.Equal(t, "7/minute in windows", b.text("#rules td.limits span"))
	require.Equal(t, "CL.WINDOW 7 60", b.text("#rules td.limits small"))
	require.Contains(t, b.text("#rules tbody"), "shadow")
	require.Equal(t, "BUTTON", eval[string](b, `document.activeElement.tagName`), "the focus is where it was")

	b.click("#new-rule")
	b.fill("#rule-name", "z/../login") // a path with it would be that of the rule login
	b.fill("#rule-limits", "CL.SLIDING 30 10")
	b.click("#rule-save")
	b.wait(`document.querySelector("#rule-error").textContent.startsWith("name 'z/../login' must not have . or ..")`)
	b.fill("#rule-name", "z/login")
	b.click("#rule-save")
	b.wait(`document.querySelectorAll("#rules tbody tr").length === 2 && !document.querySelector("#rule").open`) // the page may list it first
	require.Equal(t, "$21\r\nCL.WINDOW 7 60 SHADOW\r\n", s.do("CL.RULE GET login"))
	require.Equal(t, "$16\r\nCL.SLIDING 30 10\r\n", s.do("CL.RULE GET z/login"))
	eval[bool](b, `(window.confirm = () => true)()`)
	b.click("#rules tbody tr:nth-child(2) button")
	b.click("#rule-delete")
	b.wait(`document.querySelectorAll("#rules tbody tr").length === 1`)
	require.Equal(t, "$-1\r\n", s.do("CL.RULE GET z/login"))
	b.quiet("status of 400", "status of 404") // of the wrong limit, and of the form if it tries the limits of the deleted rule

	require.Equal(t, "+OK\r\n", s.do("CONFIG SET http-page read"))
	b.wait(`!document.querySelector("#rules button").checkVisibility() && !document.querySelector("#new-rule").checkVisibility()`)
}

// TestARuleHidesTheFile: the page says so, one click goes back, and a refused file is a notice.
func TestARuleHidesTheFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "rules.yaml")
	require.NoError(t, os.WriteFile(file, []byte("rules: {login: {limits: CL.WINDOW 5 60}}\n"), 0o600))
	s := start(t, "--http-page", "write", "--rules-file", file)
	b := browse(t)
	b.open(s.page)
	b.wait(`document.querySelector("#rules button")?.checkVisibility()`)
	b.click("#rules button")
	b.wait(`document.querySelector("#rule").open`)
	require.Contains(t, b.text("#rule-hides"), "This rule is in the file. Save makes a rule that hides it")
	b.fill("#rule-limits", "CL.WINDOW 7 60")
	b.click("#rule-save")
	b.wait(`!document.querySelector("#rule").open`)
	require.Contains(t, b.text("#rules tbody"), "hides the file")
	require.NoError(t, os.WriteFile(file, []byte("rules: {login: {limits: CL.WINDOW 6 60}}\n"), 0o600))
	require.Eventually(t, func() bool { return strings.Contains(s.do("CL.RULE LIST"), "CL.WINDOW 6 60") }, time.Minute, 50*time.Millisecond)
	b.open(s.page)
	b.wait(`document.querySelector("#rules button")?.checkVisibility()`)
	b.click("#rules button")
	b.wait(`document.querySelector("#rule").open`)
	require.Contains(t, b.text("#rule-hides"), "The file says: CL.WINDOW 6 60")
	require.Equal(t, "Use the rule of the file", b.text("#rule-delete"))
	b.click("#rule-delete")
	b.wait(`!document.querySelector("#rule").open`)
	require.Equal(t, "The rule login of the file is in force again.", b.text("#news"))
	require.Equal(t, "$14\r\nCL.WINDOW 6 60\r\n", s.do("CL.RULE GET login"))

	require.False(t, eval[bool](b, `document.querySelector("#rules-source").checkVisibility()`))
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	b.wait(`document.querySelector("#rules-source").checkVisibility()`)
	require.Contains(t, b.text("#rules-source"), "The rules-file is refused, and the previous rules stay in force: "+file+":1")
	b.quiet()
}

// TestToken: the page asks for the token, and works with it.
func TestToken(t *testing.T) {
	s := start(t, "--http-token", "secret")
	b := browse(t)
	b.open(s.page)
	b.wait(`document.querySelector("#login").checkVisibility()`)
	b.fill("#token", "wrong")
	b.click("#login button")
	b.wait(`document.querySelector("#login-error").textContent === "This token is wrong."`)
	b.fill("#token", "secret")
	b.click("#login button")
	b.wait(`document.querySelector("#state").textContent.trim() === "Works" && !document.querySelector("#login").checkVisibility()`)
	b.quiet("status of 401")
}

// TestForeignPages: pages of other sites neither change a rule nor read a number, whatever name they give this server.
func TestForeignPages(t *testing.T) {
	s := start(t, "--http-page", "write")
	require.Equal(t, "+OK\r\n", s.do("CL.RULE SET login CL.THROTTLE 4 5 60"))
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte("<!doctype html><title>other</title>"))
	}))
	t.Cleanup(other.Close)
	b := browse(t, chromedp.Flag("host-resolver-rules", "MAP evil.test 127.0.0.1"))
	attempt := func(page, method, kind string) string {
		return eval[string](b, `fetch("`+page+`", {method: "`+method+`", headers: {"Content-Type": "`+kind+`"}, body: "`+method+`" === "GET" ? undefined : '{"limits":"CL.WINDOW 9 60"}'})
			.then((reply) => String(reply.status), (err) => err.name)`)
	}
	b.open(other.URL)
	require.Equal(t, "TypeError", attempt(s.page+"/status", "GET", "text/plain"), "another origin reads nothing")
	for _, kind := range []string{"text/plain", "application/json"} {
		require.Equal(t, "TypeError", attempt(s.page+"/rules/login", "PUT", kind))
	}
	rebound := strings.Replace(s.page, "127.0.0.1", "evil.test", 1)
	b.open(rebound)
	b.wait(`document.querySelector("#state").textContent.includes("localhost")`)
	require.Equal(t, "421", attempt(rebound+"/status", "GET", "text/plain"))
	require.Equal(t, "421", attempt(rebound+"/rules/login", "PUT", "application/json"))
	require.Equal(t, "421", attempt(rebound+"/check/login?key=ann", "GET", "text/plain"))
	require.Equal(t, ":0\r\n", s.do("EXISTS login:{ann}:throttle"), "nothing was counted")
	require.Equal(t, "$18\r\nCL.THROTTLE 4 5 60\r\n", s.do("CL.RULE GET login"))
	framed := eval[string](b, `new Promise((done) => {
		const frame = document.createElement("iframe");
		frame.onload = () => { try { done(String(frame.contentDocument?.title)) } catch (err) { done(err.name) } };
		frame.src = "`+s.page+`/";
		document.body.append(frame);
	})`)
	require.NotEqual(t, "cellserver", framed)
}

// TestWhatIf: the form compares the limits in it with those in force, on the requests of the last minute.
func TestWhatIf(t *testing.T) {
	s := start(t, "--http-page", "write")
	s.rules()
	s.traffic(2000)
	b := browse(t)
	b.open(s.page)
	b.wait(`document.querySelector("#rules tbody button")?.checkVisibility()`)
	b.click("#rules tbody tr:nth-child(3) button")
	b.fill("#rule-limits", "CL.WINDOW 1 60")
	b.wait(`/[1-9].* refused/.test(document.querySelector("#trial-other-text").textContent)`)
	b.wait(`document.querySelector("#trial-other").offsetWidth > document.querySelector("#trial-same").offsetWidth`)
	require.Contains(t, b.text("#trial-text"), "A replay of the")
	b.fill("#rule-limits", "CL.WINDOW -1 60")
	b.wait(`document.querySelector("#trial-text").textContent === "limit '-1' must not be negative"`)
	b.click("#rule-cancel")
	b.wait(`!document.querySelector("#trial").checkVisibility()`)
	require.Equal(t, "$19\r\nCL.THROTTLE 4 20 60\r\n", s.do("CL.RULE GET login"))
	b.quiet("status of 400")
}
