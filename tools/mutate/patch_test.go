package main

import (
	"strings"
	"testing"
)

const diff = `--- a/x.go
+++ b/x.go
@@ -3,5 +3,5 @@
 two
 three
-four
+FOUR
 five
 six
`

func TestAHunkFindsItsPlace(t *testing.T) {
	for _, c := range []struct{ name, text, want, err string }{
		{"where it was", "one\n\ntwo\nthree\nfour\nfive\nsix", "one\n\ntwo\nthree\nFOUR\nfive\nsix", ""},
		{"moved", "0\n0\n0\n0\n0\n0\ntwo\nthree\nfour\nfive\nsix", "0\n0\n0\n0\n0\n0\ntwo\nthree\nFOUR\nfive\nsix", ""},
		{"its context has changed a little", "TWO\nthree\nfour\nfive\nSIX", "TWO\nthree\nFOUR\nfive\nSIX", ""},
		{"its line has changed", "two\nthree\n4\nfive\nsix", "", "no place"},
		{"there are two", "two\nthree\nfour\nfive\nsix\ntwo\nthree\nfour\nfive\nsix", "", "2 places"},
	} {
		t.Run(c.name, func(t *testing.T) {
			files, err := readDiff(strings.Split(strings.TrimSuffix(diff, "\n"), "\n"))
			if err != nil || len(files) != 1 || len(files[0].hunks) != 1 || files[0].path != "x.go" {
				t.Fatalf("read as %+v, %v", files, err)
			}
			got, cut, err := files[0].hunks[0].apply(strings.Split(c.text, "\n"))
			if c.err != "" {
				if err == nil || !strings.Contains(err.Error(), c.err) {
					t.Errorf("err %v, want %s", err, c.err)
				}
				return
			}
			if text := strings.Join(got, "\n"); err != nil || text != c.want {
				t.Errorf("%q, %v, want %q", text, err, c.want)
			}
			if stale := strings.Contains(c.name, "changed"); (cut > 0) != stale {
				t.Errorf("%d lines of context were left out", cut)
			}
		})
	}
}

func TestWhatIsNoPatchIsRefused(t *testing.T) {
	for name, text := range map[string]string{
		"empty":          "",
		"no head":        "-a\n+b",
		"no line number": "--- a/x\n+++ b/x\n@@ here @@\n-a\n+b",
	} {
		t.Run(name, func(t *testing.T) {
			if files, err := readDiff(strings.Split(text, "\n")); err == nil {
				t.Errorf("was read as %+v", files)
			}
		})
	}
}
