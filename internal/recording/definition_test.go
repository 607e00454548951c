package recording

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestL13TheDefinitionOfAType: each type once, after those that need it, from the first prefix that has it.
func TestL13TheDefinitionOfAType(t *testing.T) {
	one, two := t.TempDir(), t.TempDir()
	for file, text := range map[string]string{
		two + "/a/Top":      "# what it is\nother/Part[<=3] parts\nPart mine # not b/Fake\n\nuint8 X=1\nstring<=5 name \"b/Fake\"\nfloat64[] values\nother/Part again\n",
		two + "/a/Part":     "bool yes\n",
		one + "/a/Part":     "int8 of_the_overlay\n",
		two + "/other/Part": "wstring name\nDeep deep\na/msg/Part far",
		two + "/other/Deep": "",
	} {
		file = filepath.Join(filepath.Dir(filepath.Dir(file)), "share", filepath.Base(filepath.Dir(file)), "msg",
			filepath.Base(file)+".msg")
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	got, err := Definition([]string{one, two}, "a/msg/Top")
	if err != nil {
		t.Fatal(err)
	}
	line := strings.Repeat("=", 80)
	want := "# what it is\nother/Part[<=3] parts\nPart mine # not b/Fake\n\nuint8 X=1\nstring<=5 name \"b/Fake\"\nfloat64[] values\nother/Part again\n" +
		"\n" + line + "\nMSG: other/Part\nwstring name\nDeep deep\na/msg/Part far" +
		"\n" + line + "\nMSG: a/Part\nint8 of_the_overlay\n" +
		"\n" + line + "\nMSG: other/Deep\n"
	if got != want {
		t.Errorf("it is\n%s\nwant\n%s", got, want)
	}
	for typ, why := range map[string]string{
		"a/srv/Top_Request": "a/srv/Top_Request is no message type",
		"a/msg/None":        "cannot find the definition of a/msg/None: no folder of AMENT_PREFIX_PATH has share/a/msg/None.msg; install a",
	} {
		if _, err := Definition([]string{one, two}, typ); err == nil || err.Error() != why {
			t.Errorf("%s: the error is %v, want %s", typ, err, why)
		}
	}
}
