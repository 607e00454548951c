package page

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// patience is how long a condition may take.
const patience = 30 * time.Second

// fetched is where setup puts Chromium.
const fetched = "../../.ros/chromium"

// chromium returns the options that start a Chromium, or leaves the test out.
func chromium(t testing.TB) []chromedp.ExecAllocatorOption {
	t.Helper()
	for _, name := range []string{"chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return []chromedp.ExecAllocatorOption{chromedp.ExecPath(path)}
		}
	}
	root, err := filepath.Abs(fetched)
	if err != nil {
		t.Fatal(err)
	}
	// The start script of Debian has fixed paths, so the program is started without it, with its libraries and fonts.
	program := filepath.Join(root, "usr/lib/chromium/chromium-headless-shell")
	if _, err := os.Stat(program); err == nil {
		system := filepath.Join(root, "usr/lib/x86_64-linux-gnu")
		libraries := system + ":" + filepath.Join(system, "pulseaudio") // where Debian has what its libpulse needs
		return []chromedp.ExecAllocatorOption{chromedp.ExecPath(program), chromedp.Env("LD_LIBRARY_PATH="+libraries,
			"XDG_DATA_HOME="+filepath.Join(root, "usr/share"), "FONTCONFIG_PATH="+filepath.Join(root, "etc/fonts"))}
	}
	why, err := os.ReadFile(filepath.Join(fetched, "absent"))
	if err != nil && os.Getenv("CI") == "true" {
		t.Fatal("there is no Chromium: run `go run ./setup chromium`, which fetches one")
	}
	t.Skipf("left out: there is no Chromium; `go run ./setup chromium` fetches one; %s", why)
	return nil
}

// tab is an open page.
type tab struct {
	testing.TB
	ctx    context.Context
	faults chan string // what the page logged as an error
}

// browse opens an address in a browser of its own.
func browse(t testing.TB, address string, options ...chromedp.ExecAllocatorOption) *tab {
	t.Helper()
	all := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.NoSandbox, chromedp.Flag("hide-scrollbars", true))
	all = append(all, chromium(t)...)
	allocator, end := chromedp.NewExecAllocator(t.Context(), append(all, options...)...)
	t.Cleanup(end)
	ctx, cancel := chromedp.NewContext(allocator)
	t.Cleanup(cancel)
	b := &tab{TB: t, ctx: ctx, faults: make(chan string, 100)}
	b.listen()
	b.open(address)
	return b
}

// another opens an address in a second tab of the same browser.
func (b *tab) another(address string) *tab {
	b.Helper()
	ctx, cancel := chromedp.NewContext(b.ctx)
	b.Cleanup(cancel)
	second := &tab{TB: b.TB, ctx: ctx, faults: make(chan string, 100)}
	second.listen()
	second.open(address)
	return second
}

func (b *tab) listen() {
	if err := chromedp.Listen(b.ctx, func(e any) {
		if fault, ok := e.(*runtime.EventExceptionThrown); ok {
			select {
			case b.faults <- wordsOf(fault.ExceptionDetails):
			default:
			}
		}
	}); err != nil {
		b.Fatal(err)
	}
}

func (b *tab) open(address string) {
	b.Helper()
	b.do(chromedp.EmulateViewport(1440, 900), chromedp.Navigate("http://"+address+"/"))
}

// usable is of a button that can be used. Without news of the server, which may be late, none can, and a click waits.
const usable = `[aria-disabled="false"]`

// commandButton is the first button of a command.
const commandButton = ".buttons button" + usable

// endButton begins to end the network.
const endButton = ".ending > button"

// isCalm is whether a click of the element counts: it can be used, and has stood there for a second.
const isCalm = `e && e.getAttribute("aria-disabled") === "false" && (e.scrollIntoView({block: "center"}), places.clock.now() - places.see(e).since >= 1000)`

// calm waits until a click of a command counts.
func (b *tab) calm(selector string) {
	b.Helper()
	b.module("places")
	b.until(`(() => { const e = document.querySelector(` + quoted(selector) + `); return ` + isCalm + ` })()`)
}

// clicks waits until a command has stood in its place for a second, and clicks it.
func (b *tab) clicks(selector string) {
	b.Helper()
	b.calm(selector)
	b.do(chromedp.Click(selector))
}

// do carries out actions; one that takes longer than patience fails the test.
func (b *tab) do(actions ...chromedp.Action[chromedp.Void]) {
	b.Helper()
	result(b, func() (chromedp.Void, error) { return chromedp.Void{}, chromedp.Do(b.ctx, actions...) })
}

// send carries out a command of the protocol.
func send[P, R any](b *tab, command cdp.Command[P, R], params P) {
	b.Helper()
	result(b, func() (R, error) { return chromedp.Call(b.ctx, command, params) })
}

// result returns what the browser gives; it has patience.
func result[T any](b *tab, ask func() (T, error)) T {
	b.Helper()
	type answer struct {
		value T
		err   error
	}
	done := make(chan answer, 1)
	go func() {
		value, err := ask()
		done <- answer{value, err}
	}()
	select {
	case got := <-done:
		if got.err != nil {
			b.Fatal(got.err)
		}
		return got.value
	case <-time.After(patience):
		b.Fatalf("the browser did not do it in %v", patience)
		panic("not reached")
	}
}

// eval returns what an expression is in the page.
func eval[T any](b *tab, expression string, options ...chromedp.EvaluateOption) T {
	b.Helper()
	return result(b, func() (T, error) { return chromedp.Run(b.ctx, chromedp.Evaluate[T](expression, options...)) })
}

// script runs a script whose result is of no interest.
func (b *tab) script(text string) {
	b.Helper()
	eval[chromedp.Void](b, text)
}

// looks sets the scheme of colours and the size of the window.
func (b *tab) looks(scheme string, width, height int64) {
	b.Helper()
	send(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}})
	b.do(chromedp.EmulateViewport(width, height))
}

// text returns what a person reads in an element.
func (b *tab) text(selector string) string {
	b.Helper()
	return eval[string](b, `document.querySelector(`+quoted(selector)+`)?.innerText ?? "there is none"`)
}

// until waits until an expression is true in the page.
func (b *tab) until(expression string) {
	b.Helper()
	for end := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		if eval[bool](b, "!!("+expression+")") {
			return
		}
		if time.Now().After(end) {
			b.Fatalf("not so in %v: %s\nthe page is:\n%s", patience, expression, b.text("body"))
		}
	}
}

// shows waits until an element has a text.
func (b *tab) shows(selector, text string) {
	b.Helper()
	b.until(`[...document.querySelectorAll(` + quoted(selector) + `)].some((e) => e.innerText.includes(` + quoted(text) + `))`)
}

// rests waits until the page is live and shows a state, and these words on its two axes.
func (b *tab) rests(state string, words ...string) {
	b.Helper()
	b.until(`document.querySelector(".state")?.innerText === ` + quoted(state) + ` && !document.querySelector("main.stale") && ` +
		quoted(strings.Join(words, " | ")) + ` === [...document.querySelectorAll(".chip.good, .chip.bad, .chip.moving")].map(
			(e) => e.innerText.replace(/^[✓…!] /, "")).join(" | ")`)
}

// clean fails if the page logged an error.
func (b *tab) clean() {
	b.Helper()
	for {
		select {
		case fault := <-b.faults:
			b.Error("the page has a fault: " + fault)
		default:
			return
		}
	}
}

// wordsOf says what an exception of the page was.
func wordsOf(e *runtime.ExceptionDetails) string {
	if e.Exception != nil && e.Exception.Description != "" {
		return e.Exception.Description
	}
	return e.Text
}
