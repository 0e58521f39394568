package page

import (
	"encoding/json"
	"flag"
	"path/filepath"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "take the pictures of docs/ again, after some minutes of traffic")

// TestScreens requires on every screen that nothing is cut off, that all text has enough contrast, and that every control has
// a name. With -update it writes the pictures into docs/.
func TestScreens(t *testing.T) {
	s := start(t, "--appendonly", "yes", "--maxmemory", "256mb", "--http-page", "write", "--http-page-keys", "yes")
	s.rules()
	s.traffic(2000)
	b := browse(t)
	b.use(screens[0])
	b.open(s.page)
	b.wait(`document.querySelectorAll("#top tbody tr").length === 10 && document.querySelector("#refused").parentElement.matches(".some")`)
	if *update {
		time.Sleep(150 * time.Second)
	}
	for _, one := range screens {
		t.Run(one.name, func(t *testing.T) {
			b.use(one)
			b.wait(`matchMedia("(prefers-color-scheme: ` + one.scheme + `)").matches && innerWidth === ` + jsonOf(one.width))
			require.LessOrEqual(t, eval[int64](b, `document.documentElement.scrollWidth`), one.width, "it is as wide as the screen")
			require.Equal(t, "[]", eval[string](b, faint), "texts with too little contrast")
			require.Equal(t, "[]", eval[string](b, nameless), "controls without a name")
			path := filepath.Join("..", "..", "docs", "page-"+one.name+".png")
			if *update {
				time.Sleep(2 * time.Second)
				savePicture(t, path, run(b, chromedp.CaptureScreenshot()))
			}
			requirePicture(t, path, one)
		})
	}
	b.use(screens[0])
	b.click("#rules tbody tr:nth-child(3) button")
	b.wait(`document.querySelector("#trial").checkVisibility()`)
	b.fill("#rule-limits", "40 per minute burst 10")
	path := filepath.Join("..", "..", "docs", "page-rule.png")
	if *update {
		time.Sleep(30 * time.Second)
		require.Equal(t, "[]", eval[string](b, faint), "texts with too little contrast")
		savePicture(t, path, run(b, chromedp.CaptureScreenshot()))
	}
	requirePicture(t, path, screens[0])
	b.quiet()
}

func jsonOf(value any) string {
	text, _ := json.Marshal(value) // of a number
	return string(text)
}

// faint lists the texts whose contrast is below the level AA of WCAG 2: 4.5, or 3 for large ones.
const faint = `(() => {
	const canvas = document.createElement("canvas").getContext("2d", {willReadFrequently: true});
	const parse = (color) => {
		canvas.clearRect(0, 0, 1, 1);
		canvas.fillStyle = color;
		canvas.fillRect(0, 0, 1, 1);
		return [...canvas.getImageData(0, 0, 1, 1).data];
	};
	const light = ([r, g, b]) => [r, g, b].map((v) => v / 255).map((v) => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
		.reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
	const behind = (element) => {
		for (; element; element = element.parentElement) {
			const color = parse(getComputedStyle(element).backgroundColor);
			if (color[3] === 255) return color;
		}
		return [255, 255, 255, 255];
	};
	const bad = [];
	for (const element of document.querySelectorAll("body *")) {
		const text = [...element.childNodes].filter((n) => n.nodeType === 3).map((n) => n.data.trim()).join("");
		if (!text || !element.checkVisibility() || element.closest(".unseen, noscript, svg")) continue;
		const style = getComputedStyle(element);
		const [a, b] = [light(parse(style.color)), light(behind(element))];
		const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
		if (contrast < (parseFloat(style.fontSize) >= 24 ? 3 : 4.5)) bad.push(text + " " + contrast.toFixed(2));
	}
	return JSON.stringify(bad);
})()`

// nameless lists the controls that a screen reader has no name for, the duplicate ids, and what a page needs to be read.
const nameless = `(() => {
	const bad = [];
	for (const c of document.querySelectorAll("button, input, textarea, a, [role=region], [role=img], dialog, section")) {
		const labelled = c.getAttribute("aria-labelledby")?.split(" ").map((id) => document.getElementById(id)?.textContent ?? "").join("");
		const label = c.labels?.length ? c.labels[0].textContent : "";
		const own = c.matches("button, a") ? c.textContent : "";
		if (!(c.getAttribute("aria-label") || labelled || label || own || "").trim()) bad.push(c.outerHTML.slice(0, 60));
	}
	const ids = [...document.querySelectorAll("[id]")].map((e) => e.id);
	bad.push(...ids.filter((id, i) => ids.indexOf(id) !== i));
	for (const needed of ["html[lang]", "title", "main", "header", "h1", "[aria-live=polite]", "th[scope=col]", "th[scope=row]"]) {
		if (!document.querySelector(needed)) bad.push("no " + needed);
	}
	return JSON.stringify(bad);
})()`
