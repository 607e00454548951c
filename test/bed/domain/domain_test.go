package domain

import (
	"os"
	"strconv"
	"testing"
)

// alone gives a test its own set of domains, as on a machine of its own.
func alone(t *testing.T, set string) {
	t.Helper()
	t.Setenv("TMPDIR", t.TempDir())
	t.Setenv(Variable, set)
}

func TestDomainOfTheUserIsKept(t *testing.T) {
	alone(t, "42")
	id, release, err := Take()
	if err != nil || id != 42 || os.Getenv(Variable) != "42" {
		t.Fatalf("got %d, %v, %s", id, err, os.Getenv(Variable))
	}
	release()
	if os.Getenv(Variable) != "42" {
		t.Error("the user's setting was released")
	}
}

func TestDomainThatIsNoNumberIsRefused(t *testing.T) {
	alone(t, "mine")
	if id, _, err := Take(); err == nil {
		t.Errorf("got %d", id)
	}
}

func TestTwoRunsGetTwoDomains(t *testing.T) {
	alone(t, "")
	one, releaseOne, err := Take()
	if err != nil || one != First || os.Getenv(Variable) != strconv.Itoa(First) {
		t.Fatalf("first: got %d, %v", one, err)
	}
	t.Setenv(Variable, "") // the second run does not inherit the variable of the first
	two, releaseTwo, err := Take()
	if err != nil || two != First+1 {
		t.Fatalf("second: got %d, %v", two, err)
	}
	releaseOne()
	t.Setenv(Variable, "")
	if again, release, err := Take(); err != nil || again != First {
		t.Errorf("a released domain is not reserved again: got %d, %v", again, err)
	} else {
		release()
	}
	releaseTwo()
}

func TestAllDomainsHeld(t *testing.T) {
	alone(t, "")
	for range Last - First + 1 {
		t.Setenv(Variable, "")
		_, release, err := Take()
		if err != nil {
			t.Fatal(err)
		}
		defer release()
	}
	t.Setenv(Variable, "")
	if id, _, err := Take(); err == nil {
		t.Errorf("got %d", id)
	}
}
