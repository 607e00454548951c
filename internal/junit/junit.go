// Package junit writes the results of tests in the XML form that build servers read. It imports nothing of this
// project.
package junit

import (
	"encoding/xml"
	"fmt"
	"io"
	"time"
)

// Suite is the results of some tests.
type Suite struct {
	Name  string
	Time  time.Duration
	Cases []Case
}

// Case is the result of one test. It has passed if it has neither a failure nor an error.
type Case struct {
	Name, Class string
	Time        time.Duration
	Failure     *Fault // the test has run, and its result is not the expected one
	Error       *Fault // the test could not run to its end
	Skipped     *Fault // the test has not run
}

// Fault is why a case has not passed.
type Fault struct {
	Message string `xml:"message,attr"`
	Told    string `xml:",chardata"` // what happened before
}

type (
	suite struct {
		XMLName  xml.Name   `xml:"testsuite"`
		Name     string     `xml:"name,attr"`
		Tests    int        `xml:"tests,attr"`
		Failures int        `xml:"failures,attr"`
		Errors   int        `xml:"errors,attr"`
		Skipped  int        `xml:"skipped,attr"`
		Time     string     `xml:"time,attr"`
		Cases    []testcase `xml:"testcase"`
	}
	testcase struct {
		Name    string `xml:"name,attr"`
		Class   string `xml:"classname,attr"`
		Time    string `xml:"time,attr"`
		Failure *Fault `xml:"failure,omitempty"`
		Error   *Fault `xml:"error,omitempty"`
		Skipped *Fault `xml:"skipped,omitempty"`
	}
)

// Write writes the suite.
func (s *Suite) Write(out io.Writer) error {
	all := suite{Name: s.Name, Tests: len(s.Cases), Time: seconds(s.Time)}
	for i := range s.Cases {
		c := &s.Cases[i]
		switch {
		case c.Failure != nil:
			all.Failures++
		case c.Error != nil:
			all.Errors++
		case c.Skipped != nil:
			all.Skipped++
		}
		all.Cases = append(all.Cases, testcase{c.Name, c.Class, seconds(c.Time), c.Failure, c.Error, c.Skipped})
	}
	if _, err := io.WriteString(out, xml.Header); err != nil {
		return err
	}
	e := xml.NewEncoder(out)
	e.Indent("", "  ")
	if err := e.Encode(all); err != nil {
		return err
	}
	_, err := io.WriteString(out, "\n")
	return err
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.3f", d.Seconds()) }
